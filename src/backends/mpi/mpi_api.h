// MPI in C++: its errors as Errors of ours, by MPI_TRY(call) around every call that can fail, and
// owners of its handles, which are pointers in one MPI and integers in another.
#pragma once

#include <mpi.h>

#include <exception>
#include <source_location>
#include <string_view>
#include <utility>

#define MPI_TRY(call) ::linerate::mpi::check((call), #call)

namespace linerate::mpi {

[[noreturn]] void throw_failed(int code, std::string_view call, std::source_location where);

// Throws Error with MPI's text unless `code` is MPI_SUCCESS.
inline void check(int code, std::string_view call,
                  std::source_location where = std::source_location::current()) {
  if (code != MPI_SUCCESS) throw_failed(code, call, where);
}

// Freed with its owner, but for the unwinding after a failure: freeing may then wait for ranks that
// never come.
template <typename T, int (*Free)(T*)>
class Owned {
 public:
  Owned(T handle, T null) : handle_(handle), null_(null) {}
  Owned(Owned&& other) noexcept
      : handle_(std::exchange(other.handle_, other.null_)), null_(other.null_) {}
  Owned& operator=(Owned&&) = delete;
  ~Owned() {
    if (handle_ != null_ && std::uncaught_exceptions() == 0) (void)Free(&handle_);
  }

  T get() const { return handle_; }

 private:
  T handle_;
  T null_;
};

// Its errors are returned, for MPI_TRY.
class OwnedComm {
 public:
  explicit OwnedComm(MPI_Comm comm) : comm_(comm, MPI_COMM_NULL) {
    if (comm != MPI_COMM_NULL) MPI_TRY(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  }

  MPI_Comm get() const { return comm_.get(); }
  explicit operator bool() const { return get() != MPI_COMM_NULL; }

 private:
  Owned<MPI_Comm, MPI_Comm_free> comm_;
};

inline OwnedComm duplicate(MPI_Comm of) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_TRY(MPI_Comm_dup(of, &made));
  return OwnedComm(made);
}

// Empty for colour < 0. Collective over `of`.
inline OwnedComm split(MPI_Comm of, int color, int key) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_TRY(MPI_Comm_split(of, color < 0 ? MPI_UNDEFINED : color, key, &made));
  return OwnedComm(made);
}

class OwnedType : public Owned<MPI_Datatype, MPI_Type_free> {
 public:
  explicit OwnedType(MPI_Datatype type) : Owned(type, MPI_DATATYPE_NULL) {}
};

class OwnedOp : public Owned<MPI_Op, MPI_Op_free> {
 public:
  explicit OwnedOp(MPI_Op op) : Owned(op, MPI_OP_NULL) {}
};

class OwnedGroup : public Owned<MPI_Group, MPI_Group_free> {
 public:
  explicit OwnedGroup(MPI_Group group) : Owned(group, MPI_GROUP_NULL) {}
};

}  // namespace linerate::mpi
