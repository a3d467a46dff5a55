// One description of the columns makes the table, writes a row and reads it.
#include "sweep/database.h"

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "record/verdict.h"
#include "sweep/statement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <filesystem>

namespace linerate::sweep {
namespace {

constexpr int kApplication = 0x4c4e5254;  // "LNRT": application_id of the file
constexpr std::int64_t kRoomBytes = 4 << 20;
constexpr int kPatienceMs = 10'000;  // with a reader that holds the file

// Each column with its member; `records` last.
void columns(auto& io, auto& row) {
  io("study", row.study);
  io("command", row.command);
  io("repeat", row.repeat);
  io("collective", row.collective);
  io("sizes", row.sizes);
  io("type", row.type);
  io("redop", row.redop);
  io("nodes", row.nodes);
  io("ranks_per_node", row.ranks_per_node);
  io("backend", row.backend);
  io("algorithm", row.algorithm);
  io("variables", row.variables);
  io("start", row.start);
  io("outcome", row.outcome);
  io("reason", row.reason);
  io("exit_code", row.exit_code);
  io("elapsed_s", row.elapsed_s);
  io("busbw_gbps", row.busbw_gbps);
  io("start_time", row.start_time);
  io("hostname", row.hostname);
  io("version", row.version);
  io("load_1min", row.load_1min);
  io("seed", row.seed);
  io("environment", row.environment);
  io("records", row.records);
}

std::string_view sql_type(const std::string&) { return "TEXT"; }
std::string_view sql_type(Outcome) { return "TEXT"; }
std::string_view sql_type(int) { return "INTEGER"; }
std::string_view sql_type(double) { return "REAL"; }
std::string_view sql_type(std::int64_t) { return "INTEGER"; }

std::vector<std::string_view> all_columns() {
  std::vector<std::string_view> names;
  const auto add = [&](std::string_view name, const auto&) { names.push_back(name); };
  const FinishedCase row;
  columns(add, row);
  return names;
}

constexpr std::string_view kResults =
    "CREATE TABLE results (case_id INTEGER NOT NULL REFERENCES cases (id) ON DELETE CASCADE, "
    "collective TEXT, type TEXT, redop TEXT, root INTEGER, placement TEXT, bytes INTEGER, "
    "count INTEGER, \"group\" INTEGER, nranks INTEGER, nnodes INTEGER, backend TEXT, "
    "algorithm TEXT, time_us REAL, algbw_gbps REAL, busbw_gbps REAL, median_us REAL, p99_us REAL, "
    "expected_busbw_gbps REAL, verdict TEXT, wrong INTEGER);"
    "CREATE INDEX results_of_case ON results (case_id);";

std::string tables() {
  std::string sql = "CREATE TABLE cases (id INTEGER PRIMARY KEY";
  const auto add = [&](std::string_view name, const auto& value) {
    sql += fmt::format(", {} {} NOT NULL", name, sql_type(value));
  };
  const FinishedCase row;
  columns(add, row);
  return fmt::format(
      "BEGIN IMMEDIATE; {}, UNIQUE (command, repeat)); {} PRAGMA application_id = {}; "
      "PRAGMA user_version = {}; COMMIT;",
      sql, kResults, kApplication, kDatabaseSchema);
}

void bind_result(Statement& insert, std::int64_t id, const Record& record) {
  insert.bind(id);
  insert.bind(record.what.collective);
  insert.bind(record.what.type);
  insert.bind(record.what.redop);
  insert.bind(std::int64_t{record.what.root});
  insert.bind(std::string(name_of(record.what.placement)));
  insert.bind(static_cast<std::int64_t>(record.what.bytes));
  insert.bind(static_cast<std::int64_t>(record.what.count));
  insert.bind(std::int64_t{record.group});
  insert.bind(std::int64_t{record.nranks});
  insert.bind(std::int64_t{record.nnodes});
  insert.bind(record.backend);
  insert.bind(record.call.algorithm);
  insert.bind(record.window.time_us);
  insert.bind(record.algbw_gbps);
  insert.bind(record.busbw_gbps);
  insert.bind(record.samples ? record.samples->us.median : NAN);  // NaN is NULL
  insert.bind(record.samples ? record.samples->us.p99 : NAN);
  insert.bind(record.expected ? record.expected->busbw_gbps : NAN);
  insert.bind(record.expected ? std::string(name_of(verdict_of(record))) : std::string());
  if (record.wrong)
    insert.bind(static_cast<std::int64_t>(*record.wrong));
  else
    insert.bind(NAN);
}
constexpr int kResultColumns = 21;

std::string question_marks(std::size_t n) {
  return fmt::format("{}", fmt::join(std::vector<std::string_view>(n, "?"), ", "));
}

// "(nodes = ? OR nodes = ?) AND (…)", and the values behind it.
struct Where {
  std::string sql{};
  std::vector<std::string> values{};
};

Where where_of(const std::vector<Condition>& conditions) {
  std::map<std::string, std::vector<std::string>> by_name;
  for (const auto& condition : conditions) by_name[condition.name].push_back(condition.value);
  Where where{.sql = "1"};
  const auto names = condition_names();
  for (const auto& [name, values] : by_name) {
    const bool column = std::ranges::find(names, name) != names.end();
    std::vector<std::string> each;
    for (const auto& value : values) {
      each.push_back(column ? fmt::format("{} = ?", name)
                            : "ifnull(json_extract(variables, ?), '') = ?");
      if (!column) where.values.push_back(fmt::format("$.\"{}\"", name));
      where.values.push_back(value);
    }
    where.sql += fmt::format(" AND ({})", fmt::join(each, " OR "));
  }
  return where;
}

Failure refusal(const std::string& path, std::string_view why) {
  return Failure{fmt::format("'{}' {}.", path, why)};
}

Error not_written(const std::string& path, const SqlError& why) {
  return Error(
      fmt::format("'{}' cannot be written ({}). All cases that have ended are in the file; the "
                  "same command goes on.",
                  path, why.what()));
}

// What a query for one number yields; -1: nothing.
std::int64_t number_of(sqlite3* connection, const std::string& query) {
  Statement ask(connection, query);
  return ask.step() ? ask.whole(0) : -1;
}

// In the place of one without `outcomes`, which told less.
constexpr std::string_view kAgain =
    "DROP TABLE IF EXISTS again; CREATE TABLE again (case_id INTEGER PRIMARY KEY "
    "REFERENCES cases (id) ON DELETE CASCADE, outcomes TEXT NOT NULL);";

bool has_again(sqlite3* connection) {
  return number_of(connection,
                   "SELECT count(*) FROM pragma_table_info('again') WHERE name = 'outcomes'") > 0;
}

using Connection = Handle<sqlite3, sqlite3_close_v2>;

// `as_it_stands`: nothing is written, not even beside it, and nobody else may write.
Connection connect(const std::string& path, bool adds, bool as_it_stands) {
  std::string name = "file:";
  for (const unsigned char c : std::filesystem::absolute(path).string())
    name += std::isalnum(c) != 0 || c == '/' ? std::string(1, static_cast<char>(c))
                                             : fmt::format("%{:02x}", c);
  if (as_it_stands) name += "?immutable=1";
  const int writes = as_it_stands ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  sqlite3* raw = nullptr;
  const int code = ::sqlite3_open_v2(
      name.c_str(), &raw, writes | SQLITE_OPEN_URI | (adds ? SQLITE_OPEN_CREATE : 0), nullptr);
  Connection connection(raw);
  if (code != SQLITE_OK) throw SqlError(raw, code);
  (void)::sqlite3_busy_timeout(raw, kPatienceMs);
  (void)::sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  execute(raw, "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL");
  return connection;
}

constexpr std::string_view kForeign = "is no file of linerate sweep";

// What is wrong with the file; nothing: it may be used. Makes the tables of an empty one that is
// added to.
std::optional<std::string> prepare(sqlite3* connection, bool adds) {
  const auto application = number_of(connection, "PRAGMA application_id");
  const auto schema = number_of(connection, "PRAGMA user_version");
  const bool empty = application == 0 && schema == 0 &&
                     number_of(connection, "SELECT count(*) FROM sqlite_schema") == 0;
  if (!adds && application != kApplication) return std::string(kForeign);
  if (empty) execute(connection, tables());
  if (!empty && application != kApplication)
    return "holds another program's tables: choose another file";
  if (schema > kDatabaseSchema)
    return fmt::format("has tables of schema {}, and this version of linerate reads {}", schema,
                       kDatabaseSchema);
  if (adds) execute(connection, "PRAGMA journal_mode = WAL");
  return std::nullopt;
}

}  // namespace

std::vector<std::string_view> condition_names() {
  return {"study",   "collective", "sizes", "type",    "redop",    "nodes", "ranks_per_node",
          "backend", "algorithm",  "start", "outcome", "hostname", "repeat"};
}

std::vector<std::string_view> case_columns() {
  auto names = all_columns();
  names.pop_back();
  return names;
}

std::vector<std::string> cells_of(const FinishedCase& of) {
  std::vector<std::string> cells;
  const auto add = [&](std::string_view, const auto& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Outcome>)
      cells.emplace_back(name_of(value));
    else
      cells.push_back(fmt::format("{}", value));
  };
  columns(add, of);
  cells.pop_back();
  return cells;
}

// Reading, too, makes a file beside a database in WAL mode. Where the disk has no room for it, what
// a clean end has left can be read as it stands.
Result<Database> Database::open(const std::string& path, Use use) {
  const bool adds = use == Use::add;
  const int mode = adds ? O_RDWR | O_CREAT : O_RDONLY;
  FileDescriptor owner(::open(path.c_str(), mode | O_CLOEXEC | O_NONBLOCK, 0666));
  if (!owner) return refusal(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return refusal(path, "is no file");
  if (adds && ::flock(owner.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return refusal(path, "is in use by another linerate: wait for its end, or choose another file");
  const auto log = path + "-wal";
  const bool complete = !std::filesystem::exists(log, none) || std::filesystem::is_empty(log, none);
  for (bool as_it_stands = false;; as_it_stands = true) {
    try {
      Database database(path, std::move(owner), connect(path, adds, as_it_stands));
      if (const auto reason = prepare(database.connection_.get(), adds))
        return refusal(path, *reason);
      return database;
    } catch (const SqlError& error) {
      if (error.sql_code() == SQLITE_NOTADB || error.sql_code() == SQLITE_CORRUPT)
        return refusal(path, std::string(kForeign));
      if (adds || as_it_stands || !complete)
        throw Error(fmt::format("'{}' cannot be used ({}): its disk may be full, or not writable.",
                                path, error.what()));
    }
  }
}

std::map<Database::Key, Database::End> Database::ends() const {
  std::map<Key, End> found;
  Statement select(
      connection_.get(),
      fmt::format(
          "SELECT command, repeat, outcome, elapsed_s, {} FROM cases",
          has_again(connection_.get()) ? "(SELECT outcomes FROM again WHERE case_id = id)" : "''"));
  while (select.step()) {
    auto& end = found[{select.text(0), static_cast<int>(select.whole(1))}];
    select.read(2, end.outcome);
    select.read(3, end.elapsed_s);
    end.again = outcomes_in(select.text(4));
  }
  return found;
}

// A run that takes the place of an earlier one takes its row here away, too.
void Database::run_again(const std::vector<Key>& cases, const std::set<Outcome>& outcomes) try {
  auto* connection = connection_.get();
  execute(connection, "BEGIN IMMEDIATE");
  if (!has_again(connection)) execute(connection, std::string(kAgain));
  Statement insert(connection,
                   "INSERT OR REPLACE INTO again SELECT id, ? FROM cases "
                   "WHERE command = ? AND repeat = ?");
  for (const auto& [command, repeat] : cases) {
    insert.bind(names_of(outcomes));
    insert.bind(command);
    insert.bind(repeat);
    (void)insert.step();
    insert.reset();
  }
  execute(connection, "COMMIT");
} catch (const SqlError& error) {
  (void)::sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  throw not_written(path_, error);
}

// A file without a name is gone with this process, however it ends. Where the file system has no
// such files, or cannot promise their bytes, nothing is held back.
void Database::hold_room() {
  if (room_) return;
  const auto folder = std::filesystem::absolute(path_).parent_path();
  FileDescriptor room(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!room) return;
  const int error = ::posix_fallocate(room.get(), 0, kRoomBytes);
  if (error == ENOSPC || error == EDQUOT)
    throw Error(
        fmt::format("The disk of {} is full: a case needs {} there. All cases that have "
                    "ended are in the file; the same command goes on.",
                    path_, bytes_text(kRoomBytes)));
  if (error == 0) room_ = std::move(room);
}

void Database::write(const FinishedCase& of, const RunFile& records) const {
  auto* connection = connection_.get();
  execute(connection, "BEGIN IMMEDIATE");
  const auto names = all_columns();
  Statement insert(connection, fmt::format("INSERT OR REPLACE INTO cases ({}) VALUES ({})",
                                           fmt::join(names, ", "), question_marks(names.size())));
  const auto bind = [&](std::string_view, const auto& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Outcome>)
      insert.bind(std::string(name_of(value)));
    else
      insert.bind(value);
  };
  columns(bind, of);
  (void)insert.step();
  const auto id = ::sqlite3_last_insert_rowid(connection);
  Statement result(connection,
                   fmt::format("INSERT INTO results VALUES ({})", question_marks(kResultColumns)));
  for (const auto& record : records.records) {
    bind_result(result, id, record);
    (void)result.step();
    result.reset();
  }
  execute(connection, "COMMIT");
}

void Database::add(const FinishedCase& of, const RunFile& records) {
  for (bool retried = false;; retried = true) {
    try {
      return write(of, records);
    } catch (const SqlError& error) {
      (void)::sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
      const bool full = error.sql_code() == SQLITE_FULL || error.sql_code() == SQLITE_IOERR;
      if (retried || !full || !room_) throw not_written(path_, error);
      room_.close();
    }
  }
}

void Database::each(const std::vector<Condition>& conditions, bool with_records,
                    const std::function<void(const FinishedCase&)>& visit) const {
  auto names = all_columns();
  if (!with_records) names.back() = "''";
  const auto where = where_of(conditions);
  Statement select(connection_.get(), fmt::format("SELECT {} FROM cases WHERE {} ORDER BY id",
                                                  fmt::join(names, ", "), where.sql));
  for (const auto& value : where.values) select.bind(value);
  while (select.step()) {
    FinishedCase row;
    int column = 0;
    const auto read = [&](std::string_view, auto& value) { select.read(column++, value); };
    columns(read, row);
    visit(row);
  }
}

}  // namespace linerate::sweep
