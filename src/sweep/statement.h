// Statements of SQLite, whose failures are thrown.
#pragma once

#include "base/error.h"
#include "base/handle.h"
#include "sweep/outcome.h"

#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace linerate::sweep {

class SqlError : public Error {
 public:
  SqlError(sqlite3* connection, int code)
      : Error(sqlite3_errmsg(connection)), sql_code_(code & 0xff) {}

  int sql_code() const { return sql_code_; }  // without the extension: SQLITE_FULL

 private:
  int sql_code_;
};

// One or more statements without values.
inline void execute(sqlite3* connection, const std::string& sql) {
  const int code = ::sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) throw SqlError(connection, code);
}

// Values are bound in order, and columns counted from 0.
class Statement {
 public:
  Statement(sqlite3* connection, const std::string& sql) : connection_(connection) {
    sqlite3_stmt* raw = nullptr;
    check(::sqlite3_prepare_v2(connection, sql.c_str(), -1, &raw, nullptr));
    statement_.reset(raw);
  }

  void bind(const std::string& text) {
    check(::sqlite3_bind_text64(statement_.get(), ++bound_, text.data(), text.size(),
                                SQLITE_TRANSIENT, SQLITE_UTF8));
  }
  void bind(std::int64_t value) { check(::sqlite3_bind_int64(statement_.get(), ++bound_, value)); }
  void bind(int value) { bind(std::int64_t{value}); }
  void bind(double value) { check(::sqlite3_bind_double(statement_.get(), ++bound_, value)); }

  // Whether there is a row.
  bool step() {
    const int code = ::sqlite3_step(statement_.get());
    if (code != SQLITE_ROW && code != SQLITE_DONE) throw SqlError(connection_, code);
    return code == SQLITE_ROW;
  }
  void reset() {
    check(::sqlite3_reset(statement_.get()));
    bound_ = 0;
  }

  std::int64_t whole(int column) const { return ::sqlite3_column_int64(statement_.get(), column); }
  std::string text(int column) const {
    const auto* data = ::sqlite3_column_text(statement_.get(), column);
    const auto size = static_cast<std::size_t>(::sqlite3_column_bytes(statement_.get(), column));
    return data == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(data), size);
  }

  void read(int column, std::string& into) const { into = text(column); }
  void read(int column, std::int64_t& into) const { into = whole(column); }
  void read(int column, int& into) const { into = static_cast<int>(whole(column)); }
  void read(int column, double& into) const {
    into = ::sqlite3_column_double(statement_.get(), column);
  }
  // What no version has written is no outcome of a good case.
  void read(int column, Outcome& into) const {
    into = outcome_of(text(column)).value_or(Outcome::crashed);
  }

 private:
  void check(int code) const {
    if (code != SQLITE_OK) throw SqlError(connection_, code);
  }

  sqlite3* connection_;
  Handle<sqlite3_stmt, sqlite3_finalize> statement_;
  int bound_ = 0;
};

}  // namespace linerate::sweep
