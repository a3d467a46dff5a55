// Data-parallel training: each rank holds all of the model, gradients are averaged.
#include "trainers/programs/train.h"

int main(int argc, char** argv) {
  return linerate::run_trainer(argc, argv, linerate::TrainProgram::ddp);
}
