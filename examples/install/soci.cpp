// with_soci FILE: on the application's own soci::session, here of SQLite, in a file that is not
// there yet.
#include <soci/soci.h>

#include <stdexcept>
#include <tq/soci.hpp>
#include <tq/sqlite.hpp>

#include "proof.hpp"

namespace {

class OwnSession final : public OwnDatabase {
 public:
  explicit OwnSession(soci::session& session) : session_(session) {}

  std::string run(const std::string& sql) override {
    if (!sql.starts_with("SELECT")) {
      session_ << sql;
      return {};
    }
    long long value = 0;
    session_ << sql, soci::into(value);
    return std::to_string(value);
  }
  void begin() override { session_.begin(); }
  void commit() override { session_.commit(); }
  void rollback() override { session_.rollback(); }

 private:
  soci::session& session_;
};

}  // namespace

int main(int count, char** arguments) try {
  if (count != 2) throw std::invalid_argument{"give a file"};
  const std::string file = arguments[1];
  const tq::Queue queue{tq::sqlite()};
  soci::session session{"sqlite3", file};
  OwnSession own{session};
  tq::SociConnection borrowed{session};
  return prove(
      own, borrowed,
      [&] { return tq::SociConnection::open("sqlite:///" + file, queue.dialect().session); },
      queue);
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
