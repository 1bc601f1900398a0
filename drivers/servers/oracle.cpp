#include "servers/oracle.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace tq::servers {
namespace {

// What of the message may be passed on. Some messages quote a value, which may be a payload; since
// version 23 those of constraints do too, behind the constraint's name.
enum class Words : std::uint8_t { all, name_only, none };

struct Numbered {
  int number;
  Errc code;
  Words words = Words::all;
  std::string_view advice = {};
};

constexpr std::string_view no_table =
    "; run `tq init`, or look at the grants in sql/oracle/roles.sql: of a table that the user may "
    "not "
    "see this engine says the same";
constexpr std::string_view no_column = "; the tables are of another version, run `tq init`";
constexpr std::string_view no_space =
    "; add room to the tablespace, or ALTER USER ... QUOTA ... for the tables' owner";
// What a first step stores for the next one is gone once it is committed.
constexpr std::string_view no_transaction =
    "; it takes several steps, so turn the connection's autocommit off first, and commit "
    "afterwards";
constexpr std::string_view other_transaction =
    "; the temporary tables of a session serve one transaction at a time: use another connection "
    "inside an autonomous transaction";

// https://docs.oracle.com/en/error-help/db/
constexpr std::array by_number{
    Numbered{1, Errc::duplicate, Words::name_only},
    Numbered{18, Errc::connection_lost},  // too many sessions
    Numbered{20, Errc::connection_lost},  // too many processes
    Numbered{28, Errc::connection_lost},  // the session was killed
    Numbered{31, Errc::connection_lost},  // it is marked to be
    Numbered{40, Errc::timeout},
    Numbered{51, Errc::busy},      // a time-out while waiting for a resource
    Numbered{54, Errc::busy},      // NOWAIT, or DDL_LOCK_TIMEOUT
    Numbered{60, Errc::deadlock},  // undoes this statement alone
    Numbered{257, Errc::failed, Words::all, "; the archiver has no room, no change is possible"},
    Numbered{603, Errc::connection_lost},
    Numbered{904, Errc::schema_missing, Words::all, no_column},
    Numbered{942, Errc::schema_missing, Words::all, no_table},
    Numbered{955, Errc::duplicate},  // of a name
    Numbered{1000, Errc::failed, Words::all, "; raise OPEN_CURSORS on the server"},
    Numbered{1012, Errc::connection_lost},  // not logged on
    Numbered{1013, Errc::cancelled},
    Numbered{1017, Errc::denied},
    Numbered{1031, Errc::denied},
    Numbered{1033, Errc::connection_lost},  // starting or shutting down
    Numbered{1034, Errc::connection_lost},  // not there
    Numbered{1045, Errc::denied},           // no CREATE SESSION
    Numbered{1089, Errc::connection_lost},  // shutdown
    Numbered{1090, Errc::connection_lost},
    Numbered{1092, Errc::connection_lost},
    Numbered{1403, Errc::invalid_argument, Words::all, no_transaction},
    Numbered{1400, Errc::constraint},  // NULL, the column is named
    Numbered{1407, Errc::constraint},
    Numbered{1410, Errc::serialization},  // the row has moved meanwhile
    Numbered{1438, Errc::constraint, Words::none},
    Numbered{1456, Errc::read_only, Words::all, "; the transaction is read-only"},
    Numbered{1460, Errc::failed, Words::all,
             "; the client library cannot bind a text of this length"},
    Numbered{1461, Errc::failed, Words::all,
             "; the client library cannot bind a text of this length"},
    Numbered{1466, Errc::serialization},  // the table was changed meanwhile
    Numbered{1536, Errc::failed, Words::all, no_space},
    Numbered{1555, Errc::serialization, Words::all,
             "; raise UNDO_RETENTION, or shorten transactions"},
    Numbered{1631, Errc::failed, Words::all, no_space},
    Numbered{1652, Errc::failed, Words::all, no_space},
    Numbered{1653, Errc::failed, Words::all, no_space},
    Numbered{1654, Errc::failed, Words::all, no_space},
    Numbered{1688, Errc::failed, Words::all, no_space},
    Numbered{1691, Errc::failed, Words::all, no_space},
    Numbered{1692, Errc::failed, Words::all, no_space},
    Numbered{1722, Errc::constraint, Words::none},
    Numbered{2049, Errc::busy},                          // of a distributed lock
    Numbered{2091, Errc::constraint, Words::name_only},  // in a commit
    Numbered{2289, Errc::schema_missing, Words::all, no_table},
    Numbered{2290, Errc::constraint, Words::name_only},  // CHECK
    Numbered{2291, Errc::constraint, Words::name_only},
    Numbered{2292, Errc::constraint, Words::name_only},
    Numbered{2396, Errc::connection_lost},  // idle for too long
    Numbered{2399, Errc::connection_lost},  // connected for too long
    Numbered{3106, Errc::connection_lost},
    Numbered{3113, Errc::connection_lost},
    Numbered{3114, Errc::connection_lost},
    Numbered{3135, Errc::connection_lost},
    Numbered{3136, Errc::connection_lost},
    Numbered{4020, Errc::deadlock},  // of the dictionary
    Numbered{4021, Errc::busy},
    Numbered{4061, Errc::serialization},  // what a block depends on was compiled anew
    Numbered{4065, Errc::serialization},
    Numbered{4068, Errc::serialization},
    Numbered{6502, Errc::constraint, Words::none},  // a value does not fit a variable
    Numbered{8102, Errc::failed, Words::all, "; rebuild the index"},
    Numbered{8103, Errc::serialization},  // the table was moved or truncated meanwhile
    Numbered{8176, Errc::serialization},
    Numbered{8177, Errc::serialization},
    Numbered{12899, Errc::constraint},  // too long; the column is named, the value is not
    Numbered{14450, Errc::failed, Words::all, other_transaction},
    Numbered{16000, Errc::read_only, Words::all, "; this is a standby, connect to the primary"},
    Numbered{25402, Errc::serialization},  // moved to another instance: must roll back
    Numbered{25408, Errc::connection_lost},
    Numbered{28000, Errc::denied},  // locked
    Numbered{28001, Errc::denied},  // the password has expired
    Numbered{28194, Errc::read_only},
    Numbered{30006, Errc::busy},  // WAIT n
    Numbered{30036, Errc::failed, Words::all, "; the undo tablespace is full"},
    Numbered{40441, Errc::constraint, Words::none},  // JSON
    Numbered{40462, Errc::failed},
    Numbered{40478, Errc::constraint, Words::none},
    Numbered{40587, Errc::constraint, Words::none},
    Numbered{41900, Errc::denied},  // since version 23, instead of 942
};

// What says where an error was, and not what it was.
constexpr std::array wrappers{604, 4088, 6508, 6512, 6550};

bool wraps(int number) { return std::ranges::count(wrappers, number) > 0; }

// The TNS errors: https://docs.oracle.com/en/error-help/db/ora-12154/
bool of_the_network(int number) { return number >= 12150 && number < 12700; }

// "ORA-06550: line 5, column 3: PL/SQL: ORA-00942: ..." is 942.
int number_of(const Report& report) {
  if (report.number != 0 && !wraps(report.number)) return report.number;
  constexpr std::string_view mark = "ORA-";
  const auto message = report.message;
  for (auto at = message.find(mark); at != std::string_view::npos;
       at = message.find(mark, at + 1)) {
    int number = 0;
    const auto* const digits = message.data() + at + mark.size();
    std::from_chars(digits, message.data() + message.size(), number);
    if (number != 0 && !wraps(number)) return number;
  }
  // A block names what is not there in the compiler's words.
  constexpr int no_such_table = 942;
  return message.find("PLS-00201") == std::string_view::npos ? report.number : no_such_table;
}

Numbered rule_for(int number) {
  const auto* const found = std::ranges::find(by_number, number, &Numbered::number);
  if (found != by_number.end()) return *found;
  if (of_the_network(number)) return {number, Errc::connection_lost};
  // The rest of what IS JSON and JSON_TABLE say.
  if (number >= 40400 && number < 40700) return {number, Errc::failed, Words::none};
  return {number, Errc::failed};
}

bool loses_transaction(const Numbered& rule) {
  constexpr std::array others{2091, 25402};
  return rule.code == Errc::connection_lost || std::ranges::count(others, rule.number) > 0;
}

std::string words_of(const Report& report, const Numbered& rule) {
  if (rule.words == Words::all) return std::string{report.message};
  const auto number = std::to_string(rule.number);
  const auto code = "ORA-" + std::string(5 - std::min<std::size_t>(number.size(), 5), '0') + number;
  if (rule.words == Words::none) {
    return "the server refuses a value (" + code +
           "; its message is left out, since it may quote the value)";
  }
  const auto open = report.message.find('(');
  const auto close = report.message.find(')', open);
  const bool named = open != std::string_view::npos && close != std::string_view::npos;
  return code + (rule.code == Errc::duplicate ? ": duplicate entry for " : ": it violates ") +
         (named ? std::string{report.message.substr(open + 1, close - open - 1)} : "a constraint");
}

std::string_view advice_for_connecting(int number) {
  switch (number) {
    case 1017:
    case 28000:
    case 28001:
      return "; look at user and password, and at ACCOUNT_STATUS of the user";
    case 1045:
      return "; GRANT CREATE SESSION to the user";
    case 12154:
    case 12505:
    case 12514:
      return "; look at host, port and service name in the URL; lsnrctl services lists those there "
             "are";
    case 18:
    case 20:
      return "; raise PROCESSES on the server, or use fewer connections";
    default:
      return "";
  }
}

}  // namespace

Error oracle_error(const Report& report, std::string_view statement) {
  const auto rule = rule_for(number_of(report));
  auto message = words_of(report, rule);
  message.append(rule.advice);
  if (!statement.empty()) message = std::string{statement} + ": " + message;
  return {ErrorDetails{.code = rule.code,
                       .transaction_lost = loses_transaction(rule),
                       .sqlstate = std::string{report.sqlstate},
                       .vendor_code = rule.number,
                       .statement = std::string{statement}},
          message};
}

Error oracle_not_connected(const Report& report) {
  const int number = number_of(report);
  return {ErrorDetails{.code = Errc::connection_lost,
                       .transaction_lost = true,
                       .sqlstate = std::string{report.sqlstate},
                       .vendor_code = number},
          "no connection to the server: " + std::string{report.message} +
              std::string{advice_for_connecting(number)}};
}

}  // namespace tq::servers
