// Fully sharded data-parallel training: ranks share parameters, gradients and optimizer state.
#include "trainers/programs/train.h"

int main(int argc, char** argv) {
  return linerate::run_trainer(argc, argv, linerate::TrainProgram::fsdp);
}
