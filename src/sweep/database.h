// Finished cases in one SQLite file: what a kill at any moment leaves is every case that had ended.
//
// Each case is one transaction, in WAL mode, so that others may read meanwhile. While a sweep runs,
// memory on disk is held back, so that a disk that fills up cannot take the case under way. The
// tables are documented: docs/sweeps.md.
#pragma once

#include "base/handle.h"
#include "base/result.h"
#include "record/json_lines.h"
#include "sweep/outcome.h"

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::sweep {

inline constexpr int kDatabaseSchema = 1;  // user_version of the file

// A row of the table `cases`. Empty texts are empty there.
struct FinishedCase {
  std::string study{};    // its file's name; of imported runs the name of the file they came from
  std::string command{};  // of command_of(); of imported runs "import" and their run_id
  int repeat = 1;
  std::string collective{}, sizes{}, type{}, redop{};
  int nodes = 0, ranks_per_node = 0;
  std::string backend{}, algorithm{};
  std::string variables{"{}"};  // of the study: a JSON object, in which null is unset
  std::string start{};
  Outcome outcome = Outcome::ok;
  std::string reason{};
  int exit_code = 0;
  double elapsed_s = 0;
  double busbw_gbps = 0;  // the highest of its results; 0: it has none
  std::string start_time{}, hostname{}, version{};
  double load_1min = 0;
  std::int64_t seed = 0;          // of the order of runs
  std::string environment{"[]"};  // a JSON array of NAME=VALUE: those that records may keep
  std::string records{};          // JSON Lines, as the tool wrote them
};

// The column, or the variable of `variables`, has this value; of several all hold, but values of
// one name are alternatives.
struct Condition {
  std::string name{}, value{};
};
// The names that a condition may have, beside those of variables, which have capital letters.
std::vector<std::string_view> condition_names();

// The columns of a case in order, but for `records`: the texts of its cells.
std::vector<std::string_view> case_columns();
std::vector<std::string> cells_of(const FinishedCase& of);

// One connection, one thread. Throws Error where the disk is full or broken; the file is then as it
// was.
class Database {
 public:
  enum class Use : std::uint8_t { read, add };

  // To `add`, the file is created, and is this process' alone until the end. The refusal is a whole
  // sentence. Throws Error where the disk lets nobody use it.
  static Result<Database> open(const std::string& path, Use use);

  using Key = std::pair<std::string, int>;  // command and repeat
  struct End {
    Outcome outcome = Outcome::ok;
    double elapsed_s = 0;
    std::set<Outcome> again{};  // what run_again() was given; empty: it does not wait
  };
  std::map<Key, End> ends() const;

  // These cases wait for another run, as part of one of all with `outcomes`: until add() has it,
  // also where this process ends. All of them or, where it throws Error for the disk, none.
  void run_again(const std::vector<Key>& cases, const std::set<Outcome>& outcomes);

  // Holds back what the next case needs. Throws where the disk has not as much.
  void hold_room();

  // In one transaction; in the place of an earlier one of the same command and repeat. `records`
  // are those of `of.records`.
  void add(const FinishedCase& of, const RunFile& records);

  // In the order of their ends. `records` of each are left out where `with_records` is false.
  void each(const std::vector<Condition>& conditions, bool with_records,
            const std::function<void(const FinishedCase&)>& visit) const;

 private:
  using Connection = Handle<sqlite3, sqlite3_close_v2>;
  Database(std::string path, FileDescriptor owner, Connection connection)
      : path_(std::move(path)), owner_(std::move(owner)), connection_(std::move(connection)) {}

  void write(const FinishedCase& of, const RunFile& records) const;

  std::string path_;
  FileDescriptor owner_;   // holds the file's lock; closed after the connection, as SQLite needs
  FileDescriptor room_{};  // a file without a name, whose bytes are set free for what must be kept
  Connection connection_;
};

}  // namespace linerate::sweep
