// The ceiling's hands.
#pragma once

#include "bench.hpp"
#include "client.hpp"

namespace tq::bench {

[[nodiscard]] std::unique_ptr<Hands> ceiling_hands(const Dialect& dialect, const std::string& url,
                                                   const Size& size);

}  // namespace tq::bench
