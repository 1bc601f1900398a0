#include "servers/mysql.hpp"

#include <algorithm>
#include <array>

namespace tq::servers {
namespace {

// What of the message may be passed on. Some messages quote a value, which may be a payload.
enum class Words : std::uint8_t { all, index_only, none };

struct Numbered {
  int number;
  Errc code;
  Words words = Words::all;
  std::string_view advice = {};
};

constexpr std::string_view packet =
    "; raise max_allowed_packet on the server, or send less at once";
constexpr std::string_view read_only = "; this server is read-only, connect to the primary";

// https://dev.mysql.com/doc/mysql-errors/9.0/en/server-error-reference.html
// https://dev.mysql.com/doc/mysql-errors/9.0/en/client-error-reference.html
// https://mariadb.com/kb/en/mariadb-error-code-reference/
constexpr std::array by_number{
    Numbered{1020, Errc::serialization},                 // MariaDB: changed since the snapshot
    Numbered{1022, Errc::duplicate, Words::index_only},  // in an ALTER or a foreign key
    Numbered{1046, Errc::failed, Words::all, "; name a database in the URL"},
    Numbered{1047, Errc::connection_lost},  // Galera: not part of the cluster
    Numbered{1044, Errc::denied},           // to a database
    Numbered{1049, Errc::schema_missing},   // unknown database
    Numbered{1053, Errc::connection_lost},  // shutdown
    Numbered{1054, Errc::schema_missing, Words::all,
             "; the tables are of another version, run `tq init`"},
    Numbered{1062, Errc::duplicate, Words::index_only},
    Numbered{1142, Errc::denied},  // to a table
    Numbered{1143, Errc::denied},  // to a column
    Numbered{1146, Errc::schema_missing, Words::all, "; run `tq init`"},
    Numbered{1153, Errc::failed, Words::all, packet},  // the server then hangs up
    Numbered{1203, Errc::connection_lost},             // max_user_connections
    Numbered{1205, Errc::busy},                        // lock wait time-out, MariaDB's NOWAIT
    Numbered{1206, Errc::failed, Words::all, "; change fewer rows at once"},  // lock table full
    Numbered{1213, Errc::deadlock},
    Numbered{1227, Errc::denied},                            // a privilege of the whole server
    Numbered{1243, Errc::serialization},                     // prepared statement is gone
    Numbered{1264, Errc::constraint, Words::none},           // out of range
    Numbered{1265, Errc::constraint, Words::none},           // data truncated
    Numbered{1290, Errc::read_only, Words::all, read_only},  // among other settings: read_only
    Numbered{1317, Errc::cancelled},                         // KILL QUERY
    Numbered{1364, Errc::constraint},                        // no default
    Numbered{1366, Errc::constraint, Words::none},           // wrong value for the type
    Numbered{1411, Errc::constraint, Words::none},
    Numbered{1412, Errc::serialization},  // the table was changed meanwhile
    Numbered{1461, Errc::failed, Words::all, "; raise max_prepared_stmt_count on the server"},
    Numbered{1586, Errc::duplicate, Words::index_only},
    Numbered{1614, Errc::deadlock},       // the same in an XA transaction
    Numbered{1615, Errc::serialization},  // must be prepared anew
    Numbered{1792, Errc::read_only, Words::all, "; the transaction is read-only"},
    Numbered{1836, Errc::read_only, Words::all, read_only},
    Numbered{1927, Errc::connection_lost},          // MariaDB: KILL CONNECTION
    Numbered{1969, Errc::timeout},                  // MariaDB: max_statement_time
    Numbered{3024, Errc::timeout},                  // MySQL: max_execution_time
    Numbered{3101, Errc::serialization},            // group replication, in a commit
    Numbered{3144, Errc::constraint, Words::none},  // binary text as JSON
    Numbered{3157, Errc::constraint, Words::none},  // JSON nested too deep
    Numbered{3169, Errc::connection_lost},          // MySQL: KILL CONNECTION
    Numbered{3572, Errc::busy},                     // MySQL: NOWAIT
    Numbered{3819, Errc::constraint},               // MySQL: CHECK
    Numbered{4025, Errc::constraint},               // MariaDB: CHECK
    Numbered{4031, Errc::connection_lost},          // MySQL: wait_timeout
};

// For numbers that are not in the table. The first whose prefix fits counts.
struct Prefixed {
  std::string_view prefix;
  Errc code;
  Words words = Words::all;
};

constexpr std::array by_sqlstate{
    Prefixed{"08", Errc::connection_lost}, Prefixed{"22", Errc::constraint, Words::none},
    Prefixed{"23", Errc::constraint},      Prefixed{"40", Errc::serialization},
    Prefixed{"70100", Errc::cancelled},
};

// https://dev.mysql.com/doc/mysql-errors/9.0/en/client-error-reference.html
Numbered client_rule(int number) {
  switch (number) {
    case 2014:  // commands out of sync
      return {number, Errc::invalid_argument, Words::all,
              "; another result is being read on this connection, read it to its end first"};
    case 2020:
      return {number, Errc::failed, Words::all, packet};
    case 2057:  // the number of columns has changed
      return {number, Errc::serialization};
    case 2000:  // unknown
    case 2008:  // out of memory
      return {number, Errc::failed};
    default:  // 2026, of TLS, is also what a read time-out looks like
      return {number, number >= 2030 && number < 2040 ? Errc::failed : Errc::connection_lost};
  }
}

Numbered rule_for(const Report& report) {
  if (report.number >= 2000 && report.number < 3000) return client_rule(report.number);
  const auto* const found = std::ranges::find(by_number, report.number, &Numbered::number);
  if (found != by_number.end()) return *found;
  for (const auto& rule : by_sqlstate) {
    if (report.sqlstate.starts_with(rule.prefix)) {
      return {report.number, rule.code, rule.words};
    }
  }
  return {report.number, Errc::failed};
}

bool loses_transaction(const Numbered& rule) {
  return rule.code == Errc::deadlock || rule.code == Errc::connection_lost || rule.number == 1206 ||
         rule.number == 3101;
}

std::string words_of(const Report& report, Words words) {
  if (words == Words::all) return std::string{report.message};
  if (words == Words::none) {
    return "the server refuses a value (error " + std::to_string(report.number) +
           "; its message is left out, since it may quote the value)";
  }
  // "Duplicate entry 'the key' for key 'the index'"
  const auto at = report.message.rfind(" for key ");
  return "duplicate entry" +
         std::string{at == std::string_view::npos ? "" : report.message.substr(at)};
}

std::string_view advice_for_connecting(int number) {
  switch (number) {
    case 1045:
    case 1698:
      return "; look at user, password, and from which hosts the server admits that user";
    case 1044:
    case 1049:
      return "; look at the name of the database in the URL";
    case 1040:
    case 1203:
      return "; raise max_connections on the server, or use fewer connections";
    case 2026:
      return "; look at the options of TLS in the URL (ssl-ca and ssl-mode, by ODBC SSLCA)";
    default:
      return "";
  }
}

}  // namespace

Error mysql_error(const Report& report, std::string_view statement) {
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

Error mysql_not_connected(const Report& report) {
  return {ErrorDetails{.code = Errc::connection_lost,
                       .transaction_lost = true,
                       .sqlstate = std::string{report.sqlstate},
                       .vendor_code = report.number},
          "no connection to the server: " + std::string{report.message} +
              std::string{advice_for_connecting(report.number)}};
}

}  // namespace tq::servers
