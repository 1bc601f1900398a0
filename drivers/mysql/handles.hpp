// Connector/C++'s objects, each deleted where it was obtained.
#pragma once

#include <cppconn/connection.h>
#include <cppconn/prepared_statement.h>
#include <cppconn/resultset.h>
#include <cppconn/statement.h>

#include <memory>

namespace tq::mysql_driver {

using ConnectionHandle = std::unique_ptr<sql::Connection>;
using Text = std::unique_ptr<sql::Statement>;
using Prepared = std::unique_ptr<sql::PreparedStatement>;
using Result = std::unique_ptr<sql::ResultSet>;

}  // namespace tq::mysql_driver
