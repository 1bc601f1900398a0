// What to say: an engine's statements and declared facts. Data; knows no client library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tq/connection.hpp"
#include "tq/statement.hpp"
#include "tq/time.hpp"

namespace tq {

/// Facts about an engine that its users may rely on. Each value is tested by the suite.
struct Capabilities {
  /// Transactions write side by side, and a claim passes over rows that another holds. False: one
  /// writer at a time, the others wait at most the busy time-out and then get Errc::busy.
  bool concurrent_writers;
  /// The finest step of the database's clock.
  Duration clock_resolution;
  /// Enqueue announces new jobs to waiting workers (with a driver that can listen).
  bool announces;
  /// The tables can be put into a named schema.
  bool named_schema;
  /// A statement's failure leaves the caller's transaction to be rolled back (PostgreSQL), rather
  /// than undoing that statement alone.
  bool error_fails_transaction;
  /// Each statement that makes a table commits whatever transaction is open, so the tables are not
  /// installed in a transaction of the caller's.
  bool ddl_commits;
};

/// One version of the tables. The texts are run in order, unprepared.
struct Migration {
  int version;
  std::string name;
  std::vector<std::string> texts;
};

/// The claim's parts in their order: settle in a transaction of its own, the others in the next.
struct ClaimStatements {
  Operation settle;                ///< opens group heads that no finish could see; may be empty
  std::optional<Statement> probe;  ///< the priorities that have a due job; none: pick sees all
  Operation pick;                  ///< for each probed priority until n are held, or once
  std::optional<Statement> mark;   ///< makes what was picked running; none: pick did it
};

/// Part of a plan that no statement must have, or that one must not, and what to do about it.
struct UnwantedPlan {
  std::string phrase;  ///< within one text of the answer, with single blanks for its white space
  std::string advice;
  std::string statement = {};  ///< the name of the one; empty: of any
};

/// How an engine says what it would do for a statement, without running it.
struct Explain {
  std::string prefix;         ///< stands before the statement; empty: the engine cannot say it
  std::vector<Field> answer;  ///< its columns; their texts are the plan
  /// Run before it, in a transaction that is rolled back; none: there is no transaction.
  std::vector<std::string> settings;
  std::vector<UnwantedPlan> unwanted;
};

/// How the engine's own shell reads a script: what schema_sql() writes around the migrations.
struct Script {
  std::string opening;   ///< before the first step
  std::string step_end;  ///< behind each step
  std::string closing;   ///< behind the last one
};

/// What a dialect says besides its SQL files. No defaults: what a dialect forgets does not compile.
struct Engine {
  std::string name;
  Capabilities facts;
  Transaction transaction;
  std::vector<std::string> session;  ///< run on each connection that the library opens
  std::string listen;                ///< text that starts listening; empty where none is needed
  std::vector<std::string> schema_setup;  ///< makes the named schema before the first migration
  Script script;
  Explain explain;  ///< for examine(), in doctor.hpp
};

/// Every statement of an engine, as sql/README.md describes them. No defaults here either.
struct Dialect {
  std::string name;
  Capabilities facts;
  Transaction transaction;
  std::vector<std::string> session;
  std::string listen;
  std::vector<std::string> schema_setup;
  Script script;
  Explain explain;

  Operation enqueue;
  Operation holder;
  ClaimStatements claim;
  Operation extend;
  Operation finish;
  Operation expired;
  Operation retake;
  Operation cancel;
  Operation requeue;
  Operation purge;
  Statement pause;
  Statement resume;
  Statement listening;
  Statement now;
  Statement stats;
  Statement finished;
  Statement list;
  Statement find;
  Statement failures;
  Operation doctor;

  Statement schema_lock;
  std::optional<Statement> schema_unlock;  ///< none: the lock ends with the transaction
  Statement schema_present;
  Statement schema_version;
  std::vector<Migration> migrations;
};

/// Where a dialect's tables live.
struct DialectOptions {
  /// The schema, or for SQLite the attached database; empty: wherever the connection looks first.
  /// 1..30 characters a-z, 0-9 and _, beginning with a letter; else Errc::invalid_argument.
  std::string schema = {};
};

/// A file of sql/, as it is embedded at build time: "claim_pick.sql", "migrations/0001_tables.sql".
struct SqlFile {
  std::string_view path;
  std::string_view text;
};

/// Reads a dialect's embedded files. Throws Errc::invalid_argument naming the file and what is
/// wrong with it.
class SqlFolder {
 public:
  SqlFolder(std::vector<SqlFile> files, const DialectOptions& options);

  [[nodiscard]] Operation operation(std::string_view name) const;
  /// An operation of exactly one step.
  [[nodiscard]] Statement statement(std::string_view name) const;
  /// One step or none.
  [[nodiscard]] std::optional<Statement> optional(std::string_view name) const;
  [[nodiscard]] std::vector<Migration> migrations() const;

 private:
  std::vector<SqlFile> files_;
  std::string prefix_;  // what stands for {schema}
};

/// The dialect of an engine whose folder has a file for each operation.
[[nodiscard]] Dialect make_dialect(Engine engine, const SqlFolder& sql);

}  // namespace tq
