// enqueue_files DATABASE: for each path on standard input, which ends with a NUL, a row in the
// application's own table and a job, all in one transaction of the application's own connection.
#include <iostream>
#include <string>
#include <vector>

#include "own_database.hpp"
#include "tq/queue.hpp"
#include "tq/sqlite.hpp"
#include "tq/sqlite3.hpp"

namespace {

// A job may run again whenever its worker dies, so it has some attempts to spare.
std::vector<tq::NewJob> jobs_for(const std::vector<std::string>& paths) {
  std::vector<tq::NewJob> jobs;
  for (const auto& path : paths) {
    jobs.push_back({.queue = "files",
                    .kind = "checksum",
                    .payload = R"({"path": ")" + path + R"("})",
                    .max_attempts = 10});
  }
  return jobs;
}

void enqueue_files(sqlite3* own, const std::vector<std::string>& paths) {
  const tq::Queue queue{tq::sqlite()};
  tq::SqliteConnection db{own};
  OwnTransaction transaction{own};
  const auto jobs = queue.enqueue(db, jobs_for(paths));
  run(own, "CREATE TABLE file (path TEXT PRIMARY KEY, job_id TEXT NOT NULL UNIQUE)");
  for (std::size_t i = 0; i < paths.size(); ++i) {
    run(own, "INSERT INTO file (path, job_id) VALUES (?1, ?2)", {paths[i], jobs[i].job_id.text()});
  }
  transaction.commit();
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 2) throw std::runtime_error{"usage: enqueue_files DATABASE < PATHS"};
  std::vector<std::string> paths;
  for (std::string path; std::getline(std::cin, path, '\0');) paths.push_back(path);
  enqueue_files(open_own(arguments[1]).get(), paths);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "enqueue_files: " << error.what() << '\n';
  return 1;
}
