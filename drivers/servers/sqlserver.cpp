#include "servers/sqlserver.hpp"

#include <algorithm>
#include <array>

namespace tq::servers {
namespace {

// What of the message may be passed on. Some messages quote a value, which may be a payload.
enum class Words : std::uint8_t { all, before_the_key, none };

struct Numbered {
  int number;
  Errc code;
  Words words = Words::all;
  std::string_view advice = {};
};

constexpr std::string_view init = "; run `tq init`";
constexpr std::string_view other_version = "; the tables are of another version, run `tq init`";
constexpr std::string_view options =
    "; this session has settings with which SQL Server changes no table that has filtered indexes: "
    "SET ANSI_NULLS, ANSI_PADDING, ANSI_WARNINGS, ARITHABORT, CONCAT_NULL_YIELDS_NULL, "
    "QUOTED_IDENTIFIER ON; SET NUMERIC_ROUNDABORT OFF";
constexpr std::string_view index =
    "; an index is missing or disabled, or this session has other "
    "settings than filtered indexes need: `tq doctor` says which";
constexpr std::string_view roll_back =
    "; an earlier error has ended this transaction, so roll it back first";
constexpr std::string_view primary = "; connect to the primary replica";

// https://learn.microsoft.com/en-us/sql/relational-databases/errors-events/database-engine-events-and-errors
constexpr std::array by_number{
    Numbered{207, Errc::schema_missing, Words::all, other_version},  // column
    Numbered{208, Errc::schema_missing, Words::all, init},           // table
    Numbered{229, Errc::denied},
    Numbered{230, Errc::denied},  // a column
    Numbered{245, Errc::constraint, Words::none},
    Numbered{262, Errc::denied},  // a right in the whole database
    Numbered{297, Errc::denied},
    Numbered{300, Errc::denied},
    Numbered{308, Errc::schema_missing, Words::all, index},  // an index that a hint names
    Numbered{515, Errc::constraint},                         // NULL
    Numbered{547, Errc::constraint},                         // CHECK
    Numbered{596, Errc::connection_lost},                    // KILL
    Numbered{601, Errc::busy},                               // what a dirty read was at has moved
    Numbered{701, Errc::failed, Words::all, "; the server is short of memory"},
    Numbered{911, Errc::schema_missing, Words::all, "; there is no such database"},
    Numbered{916, Errc::denied},
    Numbered{976, Errc::connection_lost, Words::all, primary},
    Numbered{978, Errc::read_only, Words::all, primary},
    Numbered{1105, Errc::failed, Words::all, "; the database has no room left"},
    Numbered{1204, Errc::busy},  // no memory for a lock
    Numbered{1205, Errc::deadlock},
    Numbered{1222, Errc::busy},       // SET LOCK_TIMEOUT, NOWAIT
    Numbered{1913, Errc::duplicate},  // of an index, by another installation
    Numbered{1934, Errc::invalid_argument, Words::all, options},
    Numbered{1935, Errc::invalid_argument, Words::all, options},  // for an object to be made
    Numbered{2601, Errc::duplicate, Words::before_the_key},       // of a unique index
    Numbered{2627, Errc::duplicate, Words::before_the_key},       // of a primary key
    Numbered{2628, Errc::constraint, Words::none},                // too long, with the value
    Numbered{2714, Errc::duplicate},                              // of a table
    Numbered{3621, Errc::failed},  // only says that the statement was ended
    Numbered{3902, Errc::failed, Words::all, "; no transaction is open"},
    Numbered{3903, Errc::failed, Words::all, "; no transaction is open"},
    Numbered{3906, Errc::read_only, Words::all, primary},
    Numbered{3930, Errc::failed, Words::all, roll_back},
    Numbered{3931, Errc::failed, Words::all, roll_back},
    Numbered{3951, Errc::invalid_argument, Words::all,
             "; this transaction began at another isolation level than SNAPSHOT"},
    Numbered{
        3952, Errc::invalid_argument, Words::all,
        "; use another isolation level, or ALTER DATABASE CURRENT SET ALLOW_SNAPSHOT_ISOLATION ON"},
    Numbered{3958, Errc::serialization},  // versions are gone
    Numbered{3960, Errc::serialization},  // changed since the snapshot
    Numbered{3961, Errc::serialization},  // the table itself has changed
    Numbered{3966, Errc::serialization},  // rolled back for want of room for versions
    Numbered{3998, Errc::failed, Words::all, roll_back},
    Numbered{4060, Errc::schema_missing, Words::all,
             "; there is no such database, or the login may not use it"},
    Numbered{6005, Errc::connection_lost},  // shutdown
    Numbered{8114, Errc::constraint, Words::none},
    Numbered{8115, Errc::constraint, Words::none},  // overflow
    Numbered{8152, Errc::constraint, Words::none},  // too long
    Numbered{8622, Errc::schema_missing, Words::all, index},
    Numbered{8645, Errc::busy},  // no memory to run it
    Numbered{8651, Errc::busy},
    Numbered{9002, Errc::failed, Words::all, "; the transaction log is full"},
    Numbered{10053, Errc::connection_lost},
    Numbered{10054, Errc::connection_lost},
    Numbered{10060, Errc::connection_lost},
    Numbered{13608, Errc::constraint, Words::none},  // JSON: a property is missing
    Numbered{13609, Errc::constraint, Words::none},  // JSON: bad text
    Numbered{18456, Errc::denied},
    Numbered{20002, Errc::connection_lost},  // FreeTDS: login failed
    Numbered{20003, Errc::timeout},
    Numbered{20004, Errc::connection_lost},  // FreeTDS: read
    Numbered{20006, Errc::connection_lost},  // FreeTDS: write
    Numbered{20009, Errc::connection_lost},  // FreeTDS: connect
    Numbered{20017, Errc::connection_lost},  // FreeTDS: end of file
    Numbered{20047, Errc::connection_lost},  // FreeTDS: dead or not enabled
    Numbered{40197, Errc::connection_lost},  // Azure: moved
    Numbered{40501, Errc::connection_lost},  // Azure: busy
    Numbered{40613, Errc::connection_lost},  // Azure: not available
    Numbered{51222, Errc::busy},             // schema_lock.sql
};

// For numbers that are not in the table. The first whose prefix fits counts.
// https://learn.microsoft.com/en-us/sql/odbc/reference/appendixes/appendix-a-odbc-error-codes
struct Prefixed {
  std::string_view prefix;
  Errc code;
  Words words = Words::all;
};

constexpr std::array by_sqlstate{
    Prefixed{"08", Errc::connection_lost},
    Prefixed{"22", Errc::constraint, Words::none},
    Prefixed{"23", Errc::constraint, Words::none},
    Prefixed{"28", Errc::denied},
    Prefixed{"40", Errc::serialization},
    Prefixed{"42S02", Errc::schema_missing},
    Prefixed{"42S22", Errc::schema_missing},
    Prefixed{"HY008", Errc::cancelled},
    Prefixed{"HYT", Errc::timeout},
};

Numbered rule_for(const Report& report) {
  const auto* const found = std::ranges::find(by_number, report.number, &Numbered::number);
  if (found != by_number.end()) return *found;
  for (const auto& rule : by_sqlstate) {
    if (report.sqlstate.starts_with(rule.prefix)) return {report.number, rule.code, rule.words};
  }
  return {report.number, Errc::failed};
}

bool loses_transaction(const Numbered& rule) {
  constexpr std::array ended{3902, 3903, 3930, 3931, 3998};
  return rule.code == Errc::deadlock || rule.code == Errc::serialization ||
         rule.code == Errc::connection_lost || std::ranges::find(ended, rule.number) != ended.end();
}

std::string words_of(const Report& report, Words words) {
  if (words == Words::none) {
    return "the server refuses a value (error " + std::to_string(report.number) +
           "; its message is left out, since it may quote the value)";
  }
  const auto end = words == Words::before_the_key ? report.message.find(" The duplicate key value")
                                                  : report.message.npos;
  return std::string{report.message.substr(0, end)};
}

std::string_view advice_for_connecting(int number) {
  switch (number) {
    case 18456:
    case 18452:
    case 18486:
    case 18487:
    case 18488:
    case 20002:
      return "; look at user and password, and at the server's log, which says why";
    case 4060:
      return "; look at the name of the database in the URL, and whether the login may use it";
    case 17809:
    case 17810:
      return "; raise user connections on the server, or use fewer connections";
    default:
      return "";
  }
}

}  // namespace

Error sqlserver_error(const Report& report, std::string_view statement) {
  const auto rule = rule_for(report);
  auto message = words_of(report, rule.words);
  message.append(rule.advice);
  if (!statement.empty()) message = std::string{statement} + ": " + message;
  return {ErrorDetails{.code = rule.code,
                       .transaction_lost = loses_transaction(rule),
                       .sqlstate = std::string{report.sqlstate},
                       .vendor_code = report.number,
                       .statement = std::string{statement}},
          message};
}

Error sqlserver_not_connected(const Report& report) {
  return {ErrorDetails{.code = Errc::connection_lost,
                       .transaction_lost = true,
                       .sqlstate = std::string{report.sqlstate},
                       .vendor_code = report.number},
          "no connection to the server: " + std::string{report.message} +
              std::string{advice_for_connecting(report.number)}};
}

}  // namespace tq::servers
