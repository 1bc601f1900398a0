// Parameters on their way out and rows on their way in.
#pragma once

#include <cstddef>
#include <span>

#include "handles.hpp"
#include "tq/statement.hpp"

namespace tq::mysql_driver {

/// Throws Errc::invalid_argument if the arguments do not fit the statement's parameters, or one is
/// not smaller than `packet_bytes`, the server's max_allowed_packet.
void check_arguments(const Statement& statement, std::span<const Argument> arguments,
                     std::size_t packet_bytes);

/// Binds an argument to each placeholder; `order` is Rendered::order.
void bind_all(sql::PreparedStatement& prepared, std::span<const std::size_t> order,
              std::span<const Argument> arguments);

/// The declared columns of a result. Throws Errc::failed if it does not have them.
[[nodiscard]] Rows read_rows(const Statement& statement, sql::ResultSet& result);

}  // namespace tq::mysql_driver
