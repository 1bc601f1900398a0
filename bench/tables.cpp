#include "tables.hpp"

#include "tq/error.hpp"
#include "tq/id.hpp"

namespace tq::bench {

std::string new_place_name() { return "tqb_" + JobId::generate().text().substr(28, 8); }

std::string beside(const std::string& place) { return place + "_b"; }

void check_can_be_made(const Dialect& dialect) {
  if (!dialect.facts.named_schema || !dialect.schema_setup.empty()) return;
  throw Error{Errc::unsupported, "bench works in a schema of its own, which on " + dialect.name +
                                     " only an administrator can make"};
}

void remove_tables(Connection& connection, const std::string& place) {
  for (const auto* table : {"tq_failure", "tq_job", "tq_queue", "tq_schema"}) {
    connection.execute("DROP TABLE IF EXISTS " + place + "." + table);
  }
  connection.execute("DROP SCHEMA IF EXISTS " + place);
}

}  // namespace tq::bench
