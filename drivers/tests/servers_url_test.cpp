// The parts of a database URL, for every driver that reads one itself.
#include <gtest/gtest.h>

#include "servers/url.hpp"
#include "tq/error.hpp"

namespace tq::servers {
namespace {

constexpr UrlForm server{.name = "x", .wanted = "x://user@host/database"};
constexpr UrlForm file{.name = "y", .wanted = "y:///relative", .place = UrlForm::Place::file};

std::string refusal(std::string_view url, const UrlForm& form) {
  try {
    (void)read_url(url, form);
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    return error.what();
  }
}

TEST(ServersUrl, HasAllItsParts) {
  const auto url = read_url("x+y://me:p%40s%3As@[::1]:7/jobs?a=1&b=%26", server);
  EXPECT_EQ(url.scheme, "x+y");
  EXPECT_EQ(url.user, "me");
  EXPECT_EQ(url.password, "p@s:s");
  EXPECT_EQ(url.host, "::1");
  EXPECT_EQ(url.port, "7");
  EXPECT_EQ(url.path, "jobs");
  ASSERT_EQ(url.parameters.size(), 2U);
  EXPECT_EQ(url.parameters[1].name, "b");
  EXPECT_EQ(url.parameters[1].value, "&");
}

TEST(ServersUrl, OfAFileHasAPathAndNoHost) {
  EXPECT_EQ(read_url("y:///a/b@c.db", file).path, "a/b@c.db");
  EXPECT_EQ(read_url("y:////srv/a%3Fb", file).path, "/srv/a?b");
  for (const auto* url : {"y://host/a", "y://a", "y://"}) {
    EXPECT_NE(refusal(url, file).find("no host"), std::string::npos) << url;
  }
}

TEST(ServersUrl, IsRefusedWithWhatIsWantedAndWithoutThePassword) {
  for (const auto* url :
       {"x://u:sec@ret@h/d", "x://u:sec?ret@h/d", "x://u:sec/ret@h/d", "x://u:sec%ret@h/d",
        "x://u:sec%00ret@h/d", "x://u:sec ret@h:0/d", "x://u:secret@[h/d", "x://u:secret@h h/d"}) {
    const auto message = refusal(url, server);
    EXPECT_NE(message.find("x://user@host/database"), std::string::npos) << url << ": " << message;
    EXPECT_EQ(message.find("sec"), std::string::npos) << message;
    EXPECT_EQ(message.find("ret"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace tq::servers
