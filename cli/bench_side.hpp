// Whose calls `tq bench` measures.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bench.hpp"
#include "command.hpp"

namespace tq::cli {

/// Makes the hands that work a place; `url` is what its client library takes.
using HandsMaker = std::function<std::unique_ptr<bench::Hands>(
    const Dialect& dialect, const std::string& url, const bench::Size& size)>;

/// The command, with hands of another making: they do the work of workers too.
[[nodiscard]] std::unique_ptr<Command> make_bench(HandsMaker hands);

}  // namespace tq::cli
