// libpq's handles, each freed where it was obtained.
#pragma once

#include <libpq-fe.h>

#include <memory>

namespace tq::libpq {

struct CloseConnection {
  void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
};
struct FreeCancel {
  void operator()(PGcancel* cancel) const noexcept { PQfreeCancel(cancel); }
};
struct ClearResult {
  void operator()(PGresult* result) const noexcept { PQclear(result); }
};
struct FreeOptions {
  void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};

using ConnectionHandle = std::unique_ptr<PGconn, CloseConnection>;
using CancelHandle = std::unique_ptr<PGcancel, FreeCancel>;
using Result = std::unique_ptr<PGresult, ClearResult>;
using Options = std::unique_ptr<PQconninfoOption, FreeOptions>;

}  // namespace tq::libpq
