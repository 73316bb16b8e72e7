#include "cli/running/verify_run.h"

#include <sys/stat.h>

#include <chrono>
#include <stdexcept>
#include <utility>

#include "api/scope_name.h"
#include "base/digest.h"
#include "cli/log.h"
#include "cli/running/private_process.h"
#include "cli/running/recording_options.h"
#include "cli/running/take_of_now.h"
#include "http/server/local_exchange.h"
#include "scrubbers/redaction.h"
#include "tools/verify/request_again.h"

namespace tapedeck::cli {
namespace {

/// A device that answers none of so many calls in a row is not there.
constexpr unsigned most_broken_in_a_row = 3;

/// A key file that is not there would give pseudonyms that no cassette has.
const PrivateCommandOptions& known(const PrivateCommandOptions& options) {
  static_cast<void>(reading_profile(options));
  return options;
}

std::string made_up(const char* shape) {
  constexpr std::size_t seed_bytes = 32;
  return scrubbers::make_of_shape(shape, base::random_bytes(seed_bytes));
}

}  // namespace

/// One question on its way; tells once how it ended.
class VerifyRun::Asking : public http::LocalExchange {
 public:
  Asking(VerifyRun& run, http::Request request) : LocalExchange(std::move(request)), run_(run) {}
  /// Who drops it has no answer.
  ~Asking() override { end(false); }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

  using LocalExchange::respond;
  void respond(http::Response response) override {
    LocalExchange::respond(std::move(response));
    end(true);
  }
  void finish() override {
    LocalExchange::finish();
    end(true);
  }
  void abort() override {
    LocalExchange::abort();
    end(false);
  }
  void fail(http::Mishap how, std::chrono::microseconds longest) override {
    LocalExchange::fail(how, longest);
    end(false);
  }
  void post(std::function<void()> task) override { run_.loop_.post(std::move(task)); }

 private:
  void end(bool is_whole) {
    if (std::exchange(has_ended_, true)) return;
    // Not from within the relay, which is still busy with this transfer.
    run_.loop_.post([run = &run_, answer = response(), is_whole] { run->answered(answer, is_whole); });
  }

  VerifyRun& run_;
  bool has_ended_ = false;
};

VerifyRun::VerifyRun(VerifyRunOptions options, const cassettes::CassetteReader& recorded)
    : options_(std::move(options)),
      recorded_(recorded),
      relay_options_(recording_relay(options_.device)),
      scrubbing_(recording_scrubber(options_.rules, known(options_.private_values), relay_options_)),
      scrubber_(scrubbing_),
      relay_(loop_, relay_options_),
      writer_(std::make_unique<cassettes::CassetteWriter>(
          folder_.file("asked.cassette"),
          take_of_now("changes found by `tapedeck verify`", relay_options_.device, scrubber_))),
      parts_(relay_, scrubber_, *writer_),
      read_only_(parts_, relay_options_.device.path),
      calls_(loop_, relay_) {
  keep_memory_private();
  umask(077);
  if (auto account = device_account_if_any(options_.device)) {
    session_ =
        std::make_unique<proxy::DeviceSession>(relay_options_.device, *std::move(account), calls_, session_told());
    exchanged_ = std::make_unique<proxy::ExchangedDevice>(read_only_, *session_, relay_options_.device.path,
                                                          relay_options_.limits.max_body);
  }
  proxy::Recorder::Told told;
  told.lines = [this](std::span<const proxy::RecordedLine> lines) {
    for (const proxy::RecordedLine& line : lines) {
      broken_in_a_row_ = line.completeness == api::Completeness::broken ? broken_in_a_row_ + 1 : 0;
    }
  };
  told.fault = [this](const std::string& why) { loop_.post([this, why] { stop_with(why); }); };
  recorder_ = std::make_unique<proxy::Recorder>(proxy::RecorderOptions{relay_options_.device}, read_only_, parts_,
                                                parts_, scopes_, std::move(told));
}

VerifyRun::~VerifyRun() = default;

proxy::DeviceSession::Told VerifyRun::session_told() {
  proxy::DeviceSession::Told told;
  told.learn = [this](std::string_view value, scrubbers::SecretClass secret_class) {
    scrubber_.teach(value, secret_class);
  };
  told.ask_code = [](const std::function<void(std::string)>& answer) { answer(prompt_for_code()); };
  return told;
}

void VerifyRun::ask(const std::vector<std::string>& questions,
                    std::function<bool(std::uint64_t, std::uint64_t)> progress) {
  questions_ = questions;
  progress_ = std::move(progress);
  // A signal between two calls that take long is seen here.
  constexpr std::chrono::milliseconds look_around{100};
  loop_.every(look_around, [this] {
    if (progress_(next_, questions_.size())) return true;
    stop_with("stopped");
    return false;
  });
  loop_.post([this] { begin(); });
  loop_.run();
  relay_.shut_down();
  if (session_) session_->close_apart(relay_options_);
  recorder_->drain();
  writer_->flush();
  if (!failure_.empty()) throw std::runtime_error(failure_);
}

void VerifyRun::begin() {
  if (!session_) return ask_next();
  session_->use([this](const proxy::DeviceSession::Opened& opened) {
    if (const auto* const none = std::get_if<proxy::NoSession>(&opened)) return stop_with(none->why);
    ask_next();
  });
}

void VerifyRun::ask_next() {
  if (!failure_.empty()) return;
  if (next_ == questions_.size()) return loop_.stop();
  const auto full = recorded_.get(questions_[next_]);
  if (!full) return stop_with("interaction " + questions_[next_] + " no longer exists");
  asked_at_ = http::EventLoop::Clock::now();
  const proxy::ClientSession& client = client_of(full->line);
  http::Request request = tools::request_again(full->record, {client.id, client.csrf_token, client.device_id});
  if (!full->line.scope.empty()) {
    request.headers.set(api::scope_header, api::ScopeName{full->line.scope}.text());
  }
  auto exchange = std::make_shared<Asking>(*this, std::move(request));
  if (!exchanged_) return recorder_->handle(std::move(exchange));
  proxy::ClientDevice device(*exchanged_, client);
  recorder_->handle(std::move(exchange), device);
}

void VerifyRun::answered(const http::Response& answer, bool is_whole) {
  ++next_;
  if (const auto blocked = answer.headers.first("X-Tapedeck-Blocked"); is_whole && blocked) {
    return stop_with(*blocked == "login" ? "the device ended the session and refuses a new one"
                                         : "a request was not sent because it might change the device");
  }
  if (broken_in_a_row_ >= most_broken_in_a_row) return stop_with("the device does not respond");
  go_on();
}

void VerifyRun::go_on() {
  const auto between =
      options_.rate == 0 ? std::chrono::milliseconds(0) : std::chrono::milliseconds(1000 / options_.rate);
  const auto taken = std::chrono::duration_cast<std::chrono::milliseconds>(http::EventLoop::Clock::now() - asked_at_);
  if (taken >= between) return ask_next();
  loop_.after(between - taken, [this] { ask_next(); });
}

void VerifyRun::stop_with(const std::string& why) {
  if (failure_.empty()) failure_ = why;
  loop_.stop();
}

/// Sessions that were recorded apart stay apart.
const proxy::ClientSession& VerifyRun::client_of(const cassettes::ListedInteraction& line) {
  const auto [found, is_new] = clients_.try_emplace({line.take, line.scope, line.session});
  if (is_new) found->second = {made_up("86:base64url"), made_up("16:alnum"), made_up("86:base64url")};
  return found->second;
}

std::uint64_t VerifyRun::failed() const {
  const proxy::RecorderStats stats = recorder_->stats();
  return stats.broken + stats.withheld + stats.not_recorded;
}

void VerifyRun::keep_pseudonyms() const { keep_given(options_.private_values, scrubbing_.profile.get()); }

std::string VerifyRun::finished_cassette() {
  const std::string path = writer_->path();
  cassettes::FinishOptions options;
  options.scrubber = &scrubber_;
  const cassettes::FinishReport report = cassettes::finish(std::move(writer_), options);
  if (!report.finished) throw std::runtime_error("cannot compare the responses: " + report.failure);
  return path;
}

}  // namespace tapedeck::cli
