#!/bin/sh
# mpirun_test.sh N PROGRAM [argument...]: runs a test program on N ranks, or skips with the reason.
set -u
nranks=$1
shift
if ! command -v mpirun >/dev/null 2>&1; then
  echo "skipped: mpirun is not installed (apt install openmpi-bin)"
  exit 77
fi
# Containers run as root and have fewer cores than ranks; their ptrace rules break single copies.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
export PMIX_MCA_psec=native  # no munge: another test's munged may end meanwhile
exec mpirun -np "$nranks" "$@"
