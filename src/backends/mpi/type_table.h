// MPI's names for our element types and operators, resolved once.
#pragma once

#include "backends/mpi/mpi_api.h"
#include "comm/data_type.h"

#include <array>
#include <vector>

namespace linerate::mpi {

// half, bfloat16 and fp8, which MPI lacks, are blocks of bytes with operators of ours: each step
// computes in float and rounds once. Sums of 8-bit integers are ours too: they wrap around, whereas
// Open MPI saturates them where it uses AVX (open-mpi/ompi issue 8045). avg and mulsum are sums
// here; the communicator does the rest.
class TypeTable {
 public:
  // REQUIRES: MPI is initialised, and stays so.
  TypeTable();

  MPI_Datatype type(DataType type) const { return types_[static_cast<std::size_t>(type)]; }
  MPI_Op op(DataType type, RedOp op) const {
    return ops_[static_cast<std::size_t>(type)][static_cast<std::size_t>(op)];
  }

 private:
  template <DataType kType>
  void add_small_float();
  template <DataType kType>
  void add_wrapping_sum();

  std::array<MPI_Datatype, kDataTypes.size()> types_{};
  std::array<std::array<MPI_Op, kRedOps.size()>, kDataTypes.size()> ops_{};
  std::vector<OwnedType> own_types_;
  std::vector<OwnedOp> own_ops_;
};

// `count` elements as MPI takes them: as they are, or where the count does not fit MPI's int as one
// element of a type made for them.
class Elements {
 public:
  Elements(MPI_Datatype element, std::size_t count, std::size_t limit);
  // A type that is `count` elements, whatever their number.
  static Elements as_one(MPI_Datatype element, std::size_t count);

  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

 private:
  void make_type(std::size_t count, std::size_t limit);

  MPI_Datatype type_;
  int count_;
  std::vector<OwnedType> made_;
};

}  // namespace linerate::mpi
