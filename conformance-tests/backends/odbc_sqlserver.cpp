// The pair odbc + sqlserver. The application's own connection is one of FreeTDS.
#include "odbc.hpp"

namespace tq::conformance {

Pair odbc_sqlserver() {
  return sqlserver_with(odbc_client({.driver = "FreeTDS",
                                     .options = "TDS_Version=7.4;ClientCharset=UTF-8",
                                     .scripts = Scripts::whole,
                                     .limits = {.announcements = odbc_cannot_wait}}));
}

}  // namespace tq::conformance
