// Tensor-parallel, context-parallel, pipeline-parallel and data-parallel training at once: ranks
// share layers or sequences, have layers of their own, and share state where it is asked.
#include "trainers/programs/train.h"

int main(int argc, char** argv) {
  return linerate::run_trainer(argc, argv, linerate::TrainProgram::three_d);
}
