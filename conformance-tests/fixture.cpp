#include "fixture.hpp"

#include <algorithm>
#include <barrier>
#include <map>
#include <thread>

#include "clauses.hpp"
#include "tq/schema.hpp"

namespace tq::conformance {
namespace {

// One place for each server and process, removed at the end. Tests empty its tables.
class Places final : public ::testing::Environment {
 public:
  const Place& of(const Server& server) {
    auto& place = places_[server.instance];
    if (!place) {
      place = make_place(server);
      install_schema(*place->open(), place->dialect());
      place->raw()->execute("CREATE TABLE " + place->table("tqc_row") + " (note VARCHAR(100))");
    }
    return *place;
  }
  void TearDown() override { places_.clear(); }

 private:
  std::map<std::string, OwnPlace> places_;
};

// GoogleTest owns it.
Places* const places = dynamic_cast<Places*>(
    ::testing::AddGlobalTestEnvironment(std::make_unique<Places>().release()));

void empty_tables(const Place& place, RawConnection& app) {
  for (const auto& object : app.execute(place.objects())) {
    const auto& name = object.at(1);
    if (object.at(0) == "table" && name != "tq_schema") {
      app.execute("DELETE FROM " + place.table(name));
    }
  }
}

}  // namespace

void PairTest::SetUp() {
  // For the JUnit report; the other ones read it from the name.
  std::string clauses;
  for (const auto& clause :
       clauses_of(::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    clauses += (clauses.empty() ? "" : " ") + clause;
  }
  RecordProperty("clauses", clauses);
  place_ = &places->of(server());
  queue_.emplace(place_->dialect());
  app_ = place_->raw();
  empty_tables(*place_, *app_);
  db_ = place_->open();
}

Queue PairTest::impatient() const { return Queue{place_->dialect(), {.retries = {.attempts = 1}}}; }

JobId PairTest::add(const NewJob& job) const { return queue_->enqueue(*db_, job).job_id; }

std::vector<JobId> PairTest::add(std::size_t n, const NewJob& job) const {
  const std::vector<NewJob> jobs(n, job);
  std::vector<JobId> added;
  for (const auto& answer : queue_->enqueue(*db_, jobs)) added.push_back(answer.job_id);
  return added;
}

std::vector<Job> PairTest::claim(std::size_t n, const std::string& worker) const {
  return queue_->claim(*db_, {.queue = "q", .worker = worker, .limit = n});
}

Job PairTest::claim_one(const std::string& worker) const { return claim(1, worker).at(0); }

JobRow PairTest::row(JobId id) const { return queue_->find(*db_, id.text()).at(0); }

void PairTest::move_back(JobId id, std::string_view column, Duration by) const {
  update(id, std::string{column} + " = " + texts().earlier(column, by));
}

void PairTest::update(JobId id, const std::string& assignments) const {
  app_->execute("UPDATE " + place_->table("tq_job") + " SET " + assignments +
                " WHERE job_id = " + texts().id(id));
}

void PairTest::lock_row(RawConnection& by, JobId id) const {
  by.execute("UPDATE " + place_->table("tq_job") +
             " SET priority = priority WHERE job_id = " + texts().id(id));
}

std::int64_t PairTest::count(std::string_view table, const std::string& where) const {
  const auto name = place_->table(table);
  const auto& committed = texts().committed_count;
  const auto rows = app_->execute(committed ? committed(name, where)
                                            : "SELECT COUNT(*) FROM " + name + " WHERE " + where);
  return std::stoll(rows.at(0).at(0));
}

void PairTest::insert_row(RawConnection& by, const std::string& note) const {
  by.execute("INSERT INTO " + place_->table("tqc_row") + " (note) VALUES ('" + note + "')");
}

void PairTest::weaker(const std::string& clause, const std::string& promise) {
  RecordProperty("weaker " + clause, promise);
}

std::string instance_name(const ::testing::TestParamInfo<Server>& info) {
  return info.param.instance;
}

void at_once(std::size_t n, const std::function<void(std::size_t)>& body) {
  std::barrier start{static_cast<std::ptrdiff_t>(n)};
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < n; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      try {
        body(i);
      } catch (const std::exception& error) {
        ADD_FAILURE() << "thread " << i << ": " << error.what();
      }
    });
  }
}

Error error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error was thrown";
  return Error{ErrorDetails{.code = Errc::failed, .vendor_code = -1}, "no error was thrown"};
}

bool eventually(const std::function<bool()>& done, Duration limit) {
  const auto give_up = std::chrono::steady_clock::now() + limit;
  while (!done()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  return true;
}

std::vector<JobId> ids(const std::vector<Job>& jobs) {
  std::vector<JobId> out;
  std::ranges::transform(jobs, std::back_inserter(out), &Job::job_id);
  return out;
}

}  // namespace tq::conformance
