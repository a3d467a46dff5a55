// The texts of jobs.cc, with places in braces that it fills.
#pragma once

#include <string_view>

namespace linerate::sweep {

inline constexpr std::string_view kSbatch = R"(#!/bin/bash
#SBATCH --job-name={name}
#SBATCH --nodes={nodes}
#SBATCH --ntasks-per-node={slots}
#SBATCH --output={name}.log
#SBATCH --open-mode=append
# {runs}. When the time of the job is up, submit it again: it goes on.
exec {data}
)";

inline constexpr std::string_view kMpirun = R"(#!/bin/sh
# {runs}. After an interruption start it again: it goes on.
# `hosts` is a file with {nodes} hosts of {slots} slots.
exec {data}
)";

// What the pods read, and where they write.
inline constexpr std::string_view kConfigMap = R"(# {runs}.
apiVersion: v1
kind: ConfigMap
metadata:
  name: {name}-study
data:
{data}---
)";

inline constexpr std::string_view kMpiJob = R"(apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata:
  name: {name}
spec:
  slotsPerWorker: {slots}
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template:
        spec:
          restartPolicy: OnFailure
          containers:
            - name: launcher
              image: IMAGE
              command: {data}
              volumeMounts: [{mounts}]
          volumes: [{volumes}]
    Worker:
      replicas: {nodes}
      template:
        spec:
          containers:
            - name: worker
              image: IMAGE
              resources: {limits: {{gpus}}}
)";

inline constexpr std::string_view kPytorchReplicas = R"(    {role}:
      replicas: {count}
      restartPolicy: OnFailure
      template:
        spec:
          containers:
            - name: pytorch
              image: IMAGE
              command: [sh, /study/cases.sh]
              resources: {limits: {{gpus}}}
              volumeMounts: [{mounts}]
          volumes: [{volumes}]
)";

inline constexpr std::string_view kPytorchJob = R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: {name}
spec:
  pytorchReplicaSpecs:
)";

inline constexpr std::string_view kRayPod = R"(      template:
        spec:
          containers:
            - name: ray
              image: IMAGE
              resources: {limits: {{gpus}}}
              volumeMounts: [{mounts}]
          volumes: [{volumes}]
)";

inline constexpr std::string_view kRayJob = R"(apiVersion: ray.io/v1
kind: RayJob
metadata:
  name: {name}
spec:
  entrypoint: python /study/cases.py
  shutdownAfterJobFinishes: true
  rayClusterSpec:
    headGroupSpec:
      rayStartParams: {num-cpus: "0", num-gpus: "0"}
{head}    workerGroupSpecs:
      - groupName: nodes
        replicas: {nodes}
        minReplicas: {nodes}
        maxReplicas: {nodes}
        rayStartParams: {}
{pod})";

// One task on each node, which runs the cases as a pod of a PyTorchJob would.
inline constexpr std::string_view kRayScript = R"(import os
import subprocess

import ray
from ray.util.placement_group import placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy as At

NODES = {nodes}
ray.init()
group = placement_group([{"CPU": 1, "GPU": {gpu-count}}] * NODES, strategy="STRICT_SPREAD")
ray.get(group.ready())


@ray.remote
def address():
    return ray.util.get_node_ip_address()


@ray.remote
def run(rank, master):
    job = {"RANK": str(rank), "MASTER_ADDR": master, "MASTER_PORT": "29500"}
    script = ["sh", "/study/cases.sh"]
    return subprocess.run(script, env={**os.environ, **job}, check=False).returncode


def on(node):
    strategy = At(placement_group=group, placement_group_bundle_index=node)
    return {"num_cpus": 1, "num_gpus": {gpu-count}, "scheduling_strategy": strategy}


master = ray.get(address.options(**on(0)).remote())
print(ray.get([run.options(**on(rank)).remote(rank, master) for rank in range(NODES)]))
)";

// Each case has a port of its own, so that nobody meets the ranks of the case before. Marks are of
// exactly these cases in this order: {body} is a checksum of them.
inline constexpr std::string_view kCasesHead =
    R"(# The cases of {name}, on each pod. Those that have ended are marked in /results.
run() {  # CASE NODES COMMAND: on the first NODES pods
  case=$1; nodes=$2; shift 2
  [ "$RANK" -lt "$nodes" ] || return 0
  [ ! -e "/results/{name}-{body}.$case.done" ] || return 0
  env WORLD_SIZE="$nodes" MASTER_PORT=$((MASTER_PORT + case % 1000)) {timeout}"$@" \
    --jsonl "/results/{name}-{body}.$case.jsonl"
  [ "$RANK" != 0 ] || : > "/results/{name}-{body}.$case.done"
}
)";

}  // namespace linerate::sweep
