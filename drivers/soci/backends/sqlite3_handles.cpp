#include "sqlite3_handles.hpp"

#include <soci/sqlite3/soci-sqlite3.h>

namespace tq::soci_driver {

std::unique_ptr<soci::session> open_sqlite(const std::string& connect_string) {
  return std::make_unique<soci::session>(soci::sqlite3, connect_string);
}

::sqlite3* sqlite_of(soci::session& session) noexcept {
  auto* const backend = static_cast<soci::sqlite3_session_backend*>(session.get_backend());
  return backend == nullptr ? nullptr : reinterpret_cast<::sqlite3*>(backend->conn_);
}

::sqlite3_stmt* sqlite_of(soci::statement& prepared) noexcept {
  auto* const backend = static_cast<soci::sqlite3_statement_backend*>(prepared.get_backend());
  return reinterpret_cast<::sqlite3_stmt*>(backend->stmt_);
}

std::optional<int> result_of(const soci::soci_error& error) {
  const auto* const reported = dynamic_cast<const soci::sqlite3_soci_error*>(&error);
  return reported == nullptr ? std::nullopt : std::optional{reported->result()};
}

}  // namespace tq::soci_driver
