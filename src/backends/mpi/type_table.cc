#include "backends/mpi/type_table.h"

#include "devices/cpu/reduce.h"

#include <climits>

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace linerate::mpi {
namespace {

// inout[i] = inout[i] op in[i]. MPI hands its operators no context, so each is a function of its
// own.
template <DataType kType, RedOp kOp>
void combine(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  const std::array<const std::byte*, 2> sources{static_cast<const std::byte*>(inout),
                                                static_cast<const std::byte*>(in)};
  reduce(static_cast<std::byte*>(inout), sources, static_cast<std::size_t>(*count),
         {.type = kType, .op = kOp, .nranks = 1});
}

OwnedOp make_op(MPI_User_function* function) {
  constexpr int kCommutes = 1;
  MPI_Op op = MPI_OP_NULL;
  MPI_TRY(MPI_Op_create(function, kCommutes, &op));
  return OwnedOp(op);
}

OwnedType contiguous(int count, MPI_Datatype of) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_TRY(MPI_Type_contiguous(count, of, &made));
  OwnedType type(made);
  MPI_TRY(MPI_Type_commit(&made));
  return type;
}

// `head` at 0 and `tail` behind it, at `offset` bytes.
OwnedType chained(MPI_Datatype head, MPI_Datatype tail, MPI_Aint offset) {
  const std::array<int, 2> lengths{1, 1};
  const std::array<MPI_Aint, 2> offsets{0, offset};
  const std::array<MPI_Datatype, 2> types{head, tail};
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_TRY(MPI_Type_create_struct(2, lengths.data(), offsets.data(), types.data(), &made));
  OwnedType type(made);
  MPI_TRY(MPI_Type_commit(&made));
  return type;
}

}  // namespace

TypeTable::TypeTable() {
  const std::array<MPI_Op, kRedOps.size()> native{MPI_SUM, MPI_PROD, MPI_MAX,
                                                  MPI_MIN, MPI_SUM,  MPI_SUM};
  ops_.fill(native);
  const auto set = [&](DataType type, MPI_Datatype name) {
    types_[static_cast<std::size_t>(type)] = name;
  };
  set(DataType::int8, MPI_INT8_T);
  set(DataType::uint8, MPI_UINT8_T);
  set(DataType::int32, MPI_INT32_T);
  set(DataType::uint32, MPI_UINT32_T);
  set(DataType::int64, MPI_INT64_T);
  set(DataType::uint64, MPI_UINT64_T);
  set(DataType::float32, MPI_FLOAT);
  set(DataType::float64, MPI_DOUBLE);
  add_wrapping_sum<DataType::int8>();
  add_wrapping_sum<DataType::uint8>();
  add_small_float<DataType::float16>();
  add_small_float<DataType::bfloat16>();
  add_small_float<DataType::f8e4m3>();
  add_small_float<DataType::f8e5m2>();
}

template <DataType kType>
void TypeTable::add_small_float() {
  constexpr auto kIndex = static_cast<std::size_t>(kType);
  types_[kIndex] =
      own_types_.emplace_back(contiguous(static_cast<int>(bytes_of(kType)), MPI_BYTE)).get();
  const MPI_Op sum = own_ops_.emplace_back(make_op(combine<kType, RedOp::sum>)).get();
  const MPI_Op prod = own_ops_.emplace_back(make_op(combine<kType, RedOp::prod>)).get();
  const MPI_Op max = own_ops_.emplace_back(make_op(combine<kType, RedOp::max>)).get();
  const MPI_Op min = own_ops_.emplace_back(make_op(combine<kType, RedOp::min>)).get();
  ops_[kIndex] = {sum, prod, max, min, sum, sum};
}

template <DataType kType>
void TypeTable::add_wrapping_sum() {
  const MPI_Op sum = own_ops_.emplace_back(make_op(combine<kType, RedOp::sum>)).get();
  for (const auto op : {RedOp::sum, RedOp::avg, RedOp::mulsum})
    ops_[static_cast<std::size_t>(kType)][static_cast<std::size_t>(op)] = sum;
}

Elements::Elements(MPI_Datatype element, std::size_t count, std::size_t limit)
    : type_(element), count_(static_cast<int>(count)) {
  if (count > limit) make_type(count, limit);
}

Elements Elements::as_one(MPI_Datatype element, std::size_t count) {
  Elements e(element, 1, 1);
  if (count > 1) e.make_type(count, std::min<std::size_t>(count, INT_MAX));
  return e;
}

// Blocks of `limit` elements, and what is left.
void Elements::make_type(std::size_t count, std::size_t limit) {
  const std::size_t nblocks = count / limit;
  const std::size_t rest = count % limit;
  assert(nblocks <= INT_MAX);
  MPI_Aint lower = 0;
  MPI_Aint width = 0;
  MPI_TRY(MPI_Type_get_extent(type_, &lower, &width));
  const auto block = contiguous(static_cast<int>(limit), type_);
  made_.push_back(contiguous(static_cast<int>(nblocks), block.get()));
  if (rest > 0) {
    const auto tail = contiguous(static_cast<int>(rest), type_);
    const auto offset = width * static_cast<MPI_Aint>(count - rest);
    made_.push_back(chained(made_.back().get(), tail.get(), offset));
  }
  type_ = made_.back().get();
  count_ = 1;
}

}  // namespace linerate::mpi
