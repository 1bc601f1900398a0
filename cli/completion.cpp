#include "commands.hpp"
#include "completion_scripts.hpp"
#include "options.hpp"
#include "usage_error.hpp"

namespace tq::cli {
namespace {

class Completion final : public Command {
 public:
  CLI::App* describe(CLI::App& tq) override {
    tq_ = &tq;
    CLI::App* app = add_command(
        tq, "completion", "Print the completion script of a shell", group::help,
        "  eval \"$(tq completion bash)\"\n"
        "  tq completion zsh > _tq\n"
        "  tq completion fish > tq.fish\n\n"
        "An installation has put these files where the shells look for them; this is for a\n"
        "program that was only copied.");
    add_text(*app, "SHELL", shell_, "bash, zsh or fish")->required()->type_name("SHELL");
    return app;
  }

  Exit run(Session& session) override {
    ProgramText text = read_program(*tq_);
    for (OptionText& option : text.program.options) {
      if (option.type == "URL") option.values = url_beginnings(session.built_in);
    }
    session.out.write(script(text));
    return Exit::done;
  }

 private:
  static std::vector<std::string> url_beginnings(const BuiltIn& built_in) {
    std::vector<std::string> values;
    for (const DialectEntry& dialect : built_in.dialects) values.push_back(dialect.name + "://");
    return values;
  }

  [[nodiscard]] std::string script(const ProgramText& text) const {
    if (shell_ == "bash") return bash_completion(text);
    if (shell_ == "zsh") return zsh_completion(text);
    if (shell_ == "fish") return fish_completion(text);
    throw UsageError{"SHELL: there is completion for bash, zsh and fish, not for '" + shell_ + "'"};
  }

  const CLI::App* tq_ = nullptr;
  std::string shell_;
};

}  // namespace

std::unique_ptr<Command> make_completion() { return std::make_unique<Completion>(); }

}  // namespace tq::cli
