// A job enqueued on the application's own soci::session: the order and its job commit together or
// not at all, on whichever engine. Takes a URL, or of MySQL host:port, user and password, and works
// in a schema or database of its own, which it drops; without arguments in a file of SQLite.
#include <soci/soci.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "tq/mysql.hpp"
#include "tq/postgresql.hpp"
#include "tq/queue.hpp"
#include "tq/schema.hpp"
#include "tq/soci.hpp"
#include "tq/sqlite.hpp"

namespace {

// [quote]
void place_order(soci::session& sql, const tq::Queue& queue, int order, const std::string& item) {
  tq::SociConnection db{sql};  // borrows: it never begins, commits, rolls back or closes
  soci::transaction transaction{sql};
  sql << "INSERT INTO orders (id, item) VALUES (:id, :item)", soci::use(order), soci::use(item);
  const auto payload = R"({"order":)" + std::to_string(order) + "}";
  queue.enqueue(db, {.queue = "billing", .kind = "charge", .payload = payload});
  sql << "UPDATE stock SET pieces = pieces - 1 WHERE item = :item", soci::use(item);  // may throw
  transaction.commit();  // now workers see the job; before, and after a rollback, nobody does
}
// [/quote]

// An engine as the application reaches it, with a place of its own there.
struct Engine {
  std::string url;      // the library's
  std::string backend;  // SOCI's
  std::string connect;
  tq::Queue queue;
  std::string enter;  // makes the place the session's
  std::string leave;  // removes it with all that is in it
};

Engine sqlite_engine(const std::string& path) {
  return {.url = "sqlite:///" + path,
          .backend = "sqlite3",
          .connect = path,
          .queue = tq::Queue{tq::sqlite()},
          .enter = {},
          .leave = {}};
}

Engine engine_of(const std::string& url, const std::string& place) {
  std::smatch part;
  if (!std::regex_match(url, part, std::regex{"([a-z]+)://([^:]+):([^@]*)@([^:]+):(\\d+)/(.*)"})) {
    throw std::invalid_argument{"wanted is engine://user:password@host:port/database"};
  }
  auto connect = "host=" + part.str(4) + " port=" + part.str(5) + " user=" + part.str(2) +
                 " password=" + part.str(3);
  if (!part.str(6).empty()) connect += " dbname=" + part.str(6);
  if (part.str(1) == "postgresql") {
    return {.url = url,
            .backend = "postgresql",
            .connect = connect,
            .queue = tq::Queue{tq::postgresql({.schema = place})},
            .enter = "SET search_path = " + place,
            .leave = "DROP SCHEMA " + place + " CASCADE"};
  }
  return {.url = url,
          .backend = "mysql",
          .connect = connect + " charset=utf8mb4",
          .queue = tq::Queue{tq::mysql({.schema = place})},
          .enter = "USE " + place,
          .leave = "DROP DATABASE " + place};
}

void set_up(soci::session& sql, const Engine& engine) {
  // Where making tables commits by itself, they are not made on a borrowed session.
  const auto own = tq::SociConnection::open(engine.url, engine.queue.dialect().session);
  tq::install_schema(*own, engine.queue.dialect());
  if (!engine.enter.empty()) sql << engine.enter;
  sql << "CREATE TABLE orders (id INTEGER PRIMARY KEY, item VARCHAR(40) NOT NULL)";
  sql << "CREATE TABLE stock (item VARCHAR(40) PRIMARY KEY, pieces INTEGER CHECK (pieces >= 0))";
  sql << "INSERT INTO stock VALUES ('lamp', 1)";
}

// There is one lamp: the first order is stored with its job, the second leaves nothing behind.
bool one_of_two_orders_is_stored(soci::session& sql, const tq::Queue& queue) {
  place_order(sql, queue, 1, "lamp");
  bool refused = false;
  try {
    place_order(sql, queue, 2, "lamp");
  } catch (const soci::soci_error& error) {
    std::cout << "the second order was refused: " << error.get_error_message() << '\n';
    refused = true;
  }
  int orders = 0;
  int jobs = 0;
  sql << "SELECT count(*) FROM orders", soci::into(orders);
  sql << "SELECT count(*) FROM tq_job WHERE state = 'ready'", soci::into(jobs);
  std::cout << "orders: " << orders << ", jobs: " << jobs << '\n';
  return refused && orders == 1 && jobs == 1;
}

}  // namespace

int main(int count, char** arguments) try {
  const std::vector<std::string> given(arguments + 1, arguments + count);
  const auto place = "tq_example_" + std::to_string(getpid());
  const auto file = std::filesystem::temp_directory_path() / (place + ".db");
  const auto engine =
      given.empty() ? sqlite_engine(file.string())
      : given.size() == 1
          ? engine_of(given[0], place)
          : engine_of("mysql://" + given.at(1) + ":" + given.at(2) + "@" + given.at(0) + "/",
                      place);
  bool as_promised = false;
  {
    soci::session sql{engine.backend, engine.connect};
    set_up(sql, engine);
    as_promised = one_of_two_orders_is_stored(sql, engine.queue);
    if (!engine.leave.empty()) sql << engine.leave;
  }
  for (const auto* end : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + end);
  return as_promised ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
