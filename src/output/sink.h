// Where results go. Rank 0 only.
//
// A run hands each result once to a Sink, and does not know which:
//   console_table    nccl-tests' table on stdout (its text: table_text); p2p_perf's matrices
//   file_sinks       JSON Lines and CSV
//   nccl_tests_json  the report of -J
//   progress         around all others: how far the run is, on stderr
//   SinkList         several as one
// text_file.h is the file under all of them: whole texts, each with one write(2). numbers.h prints
// numbers for people.
#pragma once

#include "record/record.h"

#include <exception>
#include <memory>
#include <span>
#include <vector>

namespace linerate {

// Called in this order: begin once; for each case result for each placement and group, as soon as
// it is there, then row; end once (also after an error or Ctrl-C). A sink takes what it shows.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void begin(const RunInfo& run) = 0;
  virtual void result(const Record&) {}
  // A case of one size: one record for each placement, averaged over groups.
  virtual void row(std::span<const Record>) {}
  virtual void end(const EndInfo& end) = 0;
};

// Another sink, which somebody else owns.
class PassedOn final : public Sink {
 public:
  explicit PassedOn(Sink& to) : to_(to) {}

  void begin(const RunInfo& run) override { to_.begin(run); }
  void result(const Record& record) override { to_.result(record); }
  void row(std::span<const Record> table) override { to_.row(table); }
  void end(const EndInfo& end) override { to_.end(end); }

 private:
  Sink& to_;
};

// Several sinks as one. Every sink gets every call, also when an earlier one throws; then the first
// exception goes on. So a closed stdout does not cost a line of the files.
class SinkList final : public Sink {
 public:
  void add(std::unique_ptr<Sink> sink) { sinks_.push_back(std::move(sink)); }

  void begin(const RunInfo& run) override {
    each([&](Sink& sink) { sink.begin(run); });
  }
  void result(const Record& record) override {
    each([&](Sink& sink) { sink.result(record); });
  }
  void row(std::span<const Record> table) override {
    each([&](Sink& sink) { sink.row(table); });
  }
  void end(const EndInfo& end) override {
    each([&](Sink& sink) { sink.end(end); });
  }

 private:
  template <typename Call>
  void each(const Call& call) {
    std::exception_ptr first;
    for (const auto& sink : sinks_) {
      try {
        call(*sink);
      } catch (...) {
        if (!first) first = std::current_exception();
      }
    }
    if (first) std::rethrow_exception(first);
  }

  std::vector<std::unique_ptr<Sink>> sinks_;
};

}  // namespace linerate
