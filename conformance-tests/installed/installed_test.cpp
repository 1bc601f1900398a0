// tq-conformance as a user has it: installed, started by its URL as a role that somebody made, and
// gone without a trace. Started with the URL of a PostgreSQL server on which its role may create
// roles.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

namespace {

namespace fs = std::filesystem;
using Handle = std::unique_ptr<PGconn, decltype(&PQfinish)>;
using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

std::string url;  // of the owner of the database
constexpr auto secret = "Moor-Hummel+47";

std::string text_of(const fs::path& file) {
  std::ifstream in{file};
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class Installed : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = fs::temp_directory_path() / ("tq-installed-" + std::to_string(::getpid()));
    fs::create_directories(folder);
    const auto command = std::string{TQ_CMAKE " --install " TQ_BUILD " --prefix "} +
                         folder.string() + "/prefix >" + folder.string() + "/install.log 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << text_of(folder / "install.log");
  }
  static void TearDownTestSuite() { fs::remove_all(folder); }

  void SetUp() override {
    ASSERT_EQ(PQstatus(owner.get()), CONNECTION_OK) << PQerrorMessage(owner.get());
    const std::string database = sql("SELECT quote_ident(current_database())");
    sql("CREATE ROLE " + role + " LOGIN PASSWORD '" + secret + "'");
    sql("GRANT CREATE ON DATABASE " + database + " TO " + role);
    before_ = objects();
  }
  void TearDown() override {
    EXPECT_EQ(objects(), before_);
    const std::string database = sql("SELECT quote_ident(current_database())");
    sql("REVOKE CREATE ON DATABASE " + database + " FROM " + role);
    sql("DROP ROLE " + role);
  }

  // All values of the answer, a line a row.
  std::string sql(const std::string& text) const {
    const Result result{PQexec(owner.get(), text.c_str()), &PQclear};
    const auto status = PQresultStatus(result.get());
    EXPECT_TRUE(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
        << PQerrorMessage(owner.get());
    std::string lines;
    for (int r = 0; r < PQntuples(result.get()); ++r) {
      lines += (r == 0 ? "" : "\n") + std::string{PQgetvalue(result.get(), r, 0)};
    }
    return lines;
  }
  // Everything that a test could leave: schemas, tables, indexes, functions, types, roles, and what
  // depends on a role. What the server itself brought has a lower number.
  [[nodiscard]] std::string objects() const {
    return sql(
        "SELECT 'schema ' || nspname FROM pg_namespace WHERE nspname !~ '^pg_(toast_)?temp' "
        "UNION ALL SELECT 'relation ' || oid FROM pg_class WHERE oid >= 16384 "
        "UNION ALL SELECT 'function ' || oid FROM pg_proc WHERE oid >= 16384 "
        "UNION ALL SELECT 'type ' || oid FROM pg_type WHERE oid >= 16384 "
        "UNION ALL SELECT 'role ' || rolname FROM pg_roles "
        "UNION ALL SELECT 'of a role ' || classid || ' ' || objid FROM pg_shdepend ORDER BY 1");
  }

  // Starts the installed program in an environment without anything of the build's.
  [[nodiscard]] pid_t start(const std::string& filter) const {
    const auto at = url.find('@');
    std::vector<std::string> words{"tq-conformance",
                                   "--url",
                                   "postgresql://" + role + url.substr(at),
                                   "--report",
                                   (folder / "report").string(),
                                   filter};
    std::vector<std::string> variables{std::string{"TQ_DATABASE_PASSWORD="} + secret, "TMPDIR=/tmp",
                                       "PATH=/usr/bin:/bin"};
    const auto pointers = [](std::vector<std::string>& texts) {
      std::vector<char*> result;
      result.reserve(texts.size() + 1);
      for (auto& text : texts) result.push_back(text.data());
      result.push_back(nullptr);
      return result;
    };
    posix_spawn_file_actions_t actions{};
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 1, (folder / "out").c_str(),
                                       O_CREAT | O_WRONLY | O_TRUNC | O_APPEND, 0600);
    ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t process = 0;
    EXPECT_EQ(::posix_spawn(&process, (folder / "prefix/bin/tq-conformance").c_str(), &actions,
                            nullptr, pointers(words).data(), pointers(variables).data()),
              0);
    ::posix_spawn_file_actions_destroy(&actions);
    return process;
  }
  static int exit_code(pid_t process) {
    int status = 0;
    ::waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  // Until the program has made a schema. A test of a lock's end takes long enough to be disturbed.
  void wait_for_a_schema() const {
    for (int i = 0; i < 600; ++i) {
      if (sql("SELECT count(*) FROM pg_class WHERE relname = 'tqc_row' AND relowner = '" + role +
              "'::regrole") != "0") {
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
    }
    ADD_FAILURE() << "no schema was made: " << text_of(folder / "out");
  }
  static constexpr auto long_suites = "--gtest_filter=Unique.*:Working.*:Cost.*";

  static inline fs::path folder;
  const Handle owner{PQconnectdb(url.c_str()), &PQfinish};
  const std::string role = "tqi_" + std::to_string(::getpid());

 private:
  std::string before_;
};

TEST_F(Installed, RunLeavesAReportAndNothingElse) {
  EXPECT_EQ(exit_code(start("--gtest_filter=Claim.*:Schema.*:Facts.*")), 0)
      << text_of(folder / "out");
  const auto out = text_of(folder / "out");
  EXPECT_NE(out.find("CLM-1    pass"), std::string::npos) << out;
  for (const auto* name : {"report.md", "report.json", "report.xml"}) {
    const auto report = text_of(folder / "report" / name);
    EXPECT_FALSE(report.empty()) << name;
    EXPECT_EQ(report.find(secret), std::string::npos) << name;
  }
  EXPECT_NE(text_of(folder / "report/report.xml").find(R"(name="clauses" value="CLM-1")"),
            std::string::npos);
  EXPECT_EQ(out.find(secret), std::string::npos) << out;
}

TEST_F(Installed, InterruptedRunCleansUp) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto process = start(long_suites);
    wait_for_a_schema();
    ::kill(process, signal);
    EXPECT_EQ(exit_code(process), 128 + signal) << text_of(folder / "out");
  }
}

TEST_F(Installed, CrashedRunCleansUp) {
  const auto process = start(long_suites);
  wait_for_a_schema();
  const auto id = std::to_string(process);
  const auto tests = std::stoi(text_of("/proc/" + id + "/task/" + id + "/children"));
  ::kill(tests, SIGSEGV);
  EXPECT_EQ(exit_code(process), 1);
  EXPECT_NE(text_of(folder / "out").find("Segmentation fault"), std::string::npos);
}

TEST_F(Installed, MissingRightIsSaidBeforeAnythingIsDone) {
  const std::string database = sql("SELECT quote_ident(current_database())");
  sql("REVOKE CREATE ON DATABASE " + database + " FROM " + role);
  EXPECT_EQ(exit_code(start("--gtest_filter=Claim.*")), 2);
  const auto out = text_of(folder / "out");
  EXPECT_NE(out.find("GRANT CREATE ON DATABASE " + database + " TO " + role), std::string::npos)
      << out;
  sql("GRANT CREATE ON DATABASE " + database + " TO " + role);
}

TEST_F(Installed, ProgramsSayTheirVersion) {
  for (const auto* name : {"tq", "tq-conformance"}) {
    const auto command = (folder / "prefix/bin" / name).string() + " --version >/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << name;
  }
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc < 2) return 2;
  url = argv[1];
  return RUN_ALL_TESTS();
}
