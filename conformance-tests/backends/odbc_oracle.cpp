// The pair odbc (Oracle's own ODBC driver) + oracle. The application's connection is opened by the
// words that the driver under test makes of the URL, since the ODBC driver's name has a version.
#include "odbc.hpp"
#include "url.hpp"

namespace tq::conformance {

Pair odbc_oracle() {
  return oracle_with(odbc_client(
      {.connection_string =
           [](const std::string& url) { return odbc::parse_url(url).connection_string; },
       // A script's blocks have semicolons inside.
       .scripts = Scripts::whole,
       .autocommit = Autocommit::off,
       .limits = {.announcements = odbc_cannot_wait}}));
}

}  // namespace tq::conformance
