// The pair soci + mysql.
#include <soci/mysql/soci-mysql.h>
#include <soci/soci.h>

#include "pair.hpp"
#include "tq/soci.hpp"
#include "url.hpp"

namespace tq::conformance {
namespace {

using Result = std::unique_ptr<MYSQL_RES, decltype(&mysql_free_result)>;

std::vector<RawConnection::Row> rows_of(MYSQL_RES* result) {
  std::vector<RawConnection::Row> rows;
  while (auto* const values = mysql_fetch_row(result)) {
    RawConnection::Row row;
    const auto* const lengths = mysql_fetch_lengths(result);
    for (unsigned c = 0; c < mysql_num_fields(result); ++c) {
      row.push_back(values[c] == nullptr ? "(null)" : std::string{values[c], lengths[c]});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string connect_string(const std::string& text) {
  const soci_driver::Url read{text};
  const auto& url = read.parts();
  return "host='" + url.host + "' port='" + url.port + "' user='" + url.user + "' password='" +
         url.password + "' dbname='" + url.path + "' charset=utf8mb4 connect_timeout=10";
}

// A bare session. Its text goes to the client library, since SOCI takes a colon for a parameter and
// has no text for a value of every type.
class SociRaw final : public RawConnection {
 public:
  explicit SociRaw(const std::string& url) try : session_{soci::mysql, connect_string(url)} {
  } catch (const soci::soci_error& error) {
    throw RawError{error.get_error_message()};
  }

  std::vector<Row> execute(const std::string& sql) override {
    std::vector<Row> rows;
    for (const auto& text : statements_of(sql)) {
      if (mysql_real_query(handle(), text.data(), text.size()) != 0) {
        throw RawError{mysql_error(handle())};
      }
      const Result result{mysql_store_result(handle()), &mysql_free_result};
      if (result) rows = rows_of(result.get());
    }
    return rows;
  }

  std::unique_ptr<Connection> borrow() override {
    return std::make_unique<SociConnection>(session_);
  }

 private:
  MYSQL* handle() {
    return static_cast<soci::mysql_session_backend*>(session_.get_backend())->conn_;
  }

  soci::session session_;
};

}  // namespace

Pair soci_mysql() {
  return mysql_with(
      {.driver = "soci",
       .open = [](const std::string& url, const std::vector<std::string>& session)
           -> std::unique_ptr<Connection> { return SociConnection::open(url, session); },
       .raw = [](const std::string& url) -> std::unique_ptr<RawConnection> {
         return std::make_unique<SociRaw>(url);
       }});
}

}  // namespace tq::conformance
