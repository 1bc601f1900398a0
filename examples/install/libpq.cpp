// with_libpq URL: on the application's own PGconn*, in a schema of its own, which it drops.
#include <libpq-fe.h>
#include <unistd.h>

#include <stdexcept>
#include <tq/libpq.hpp>
#include <tq/postgresql.hpp>

#include "proof.hpp"

namespace {

class OwnPostgres final : public OwnDatabase {
 public:
  explicit OwnPostgres(const char* url) : handle_(PQconnectdb(url), &PQfinish) {
    if (PQstatus(handle()) != CONNECTION_OK) throw std::runtime_error{PQerrorMessage(handle())};
  }
  PGconn* handle() { return handle_.get(); }

  std::string run(const std::string& sql) override {
    const std::unique_ptr<PGresult, decltype(&PQclear)> result{PQexec(handle(), sql.c_str()),
                                                               &PQclear};
    const auto status = PQresultStatus(result.get());
    if (status == PGRES_TUPLES_OK) return PQgetvalue(result.get(), 0, 0);
    if (status != PGRES_COMMAND_OK) throw std::runtime_error{PQerrorMessage(handle())};
    return {};
  }

 private:
  std::unique_ptr<PGconn, decltype(&PQfinish)> handle_;
};

}  // namespace

int main(int count, char** arguments) try {
  if (count != 2) throw std::invalid_argument{"give a URL"};
  const char* url = arguments[1];
  const auto schema = "tq_orders_" + std::to_string(getpid());
  const tq::Queue queue{tq::postgresql({.schema = schema})};
  OwnPostgres own{url};
  own.run("CREATE SCHEMA " + schema);
  own.run("SET search_path = " + schema);
  tq::LibpqConnection borrowed{own.handle()};
  const int answer = prove(
      own, borrowed, [&] { return tq::LibpqConnection::open(url, queue.dialect().session); },
      queue);
  own.run("SET client_min_messages = warning");
  own.run("DROP SCHEMA " + schema + " CASCADE");
  return answer;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
