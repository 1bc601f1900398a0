// Splits SQL text at its `:name` parameters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tq {

struct ScannedPiece {
  std::string text;  // SQL without comments, or a parameter's name
  bool parameter = false;
};

/// Knows '…' strings, "…" names, -- and /* */ comments. Throws Errc::invalid_argument with `name`
/// for what a client library would misread.
std::vector<ScannedPiece> scan(std::string_view name, std::string_view text);

}  // namespace tq
