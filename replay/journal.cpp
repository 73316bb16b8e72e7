#include "replay/journal.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "api/call.h"
#include "replay/journal_file.h"

namespace tapedeck::replay {
namespace {

constexpr std::size_t most_kinds = 10'000;

void put(nlohmann::json& object, const char* name, const std::string& value) {
  if (!value.empty()) object[name] = value;
}

bool agrees(const std::optional<std::string>& wanted, const std::string& value) { return !wanted || *wanted == value; }

bool same_api(const std::string& wanted, const std::string& api) {
  if (wanted == api) return true;
  const std::string rest = api::ApiName::split(api).rest;
  return wanted == rest || api::ApiName::split(wanted).rest == rest;
}

}  // namespace

struct Journal::File : JournalFile {
  using JournalFile::JournalFile;
};

std::string to_json(const JournalEntry& entry) {
  nlohmann::json object = {{"number", entry.number}, {"at_us", entry.at_us},     {"verb", entry.verb},
                           {"key", entry.key},       {"outcome", entry.outcome}, {"status", entry.status}};
  put(object, "session", entry.session);
  put(object, "api", entry.api);
  put(object, "version", entry.version);
  put(object, "method", entry.method);
  put(object, "recording", entry.recording);
  put(object, "match", entry.match);
  put(object, "reason", entry.reason);
  if (entry.position) object["position"] = *entry.position;
  if (entry.of) object["of"] = *entry.of;
  if (entry.code) object["code"] = *entry.code;
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool JournalMatch::fits(const JournalEntry& entry) const {
  if (api && !same_api(*api, entry.api)) return false;
  if (status && *status != entry.status) return false;
  if (code && code != entry.code) return false;
  return agrees(version, entry.version) && agrees(method, entry.method) && agrees(outcome, entry.outcome) &&
         agrees(session, entry.session) && agrees(verb, entry.verb) && agrees(key, entry.key) &&
         agrees(recording, entry.recording);
}

Journal::Journal(JournalOptions options) : ring_(std::max<std::size_t>(1, options.capacity)) {
  if (!options.file.empty()) file_ = std::make_unique<File>(options.file);
}

Journal::~Journal() { stop_waiting(); }

void Journal::add(JournalEntry entry) {
  const auto kept = std::make_shared<JournalEntry>(std::move(entry));
  JournalLine gone;  // freed outside the lock
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    using std::chrono::microseconds;
    kept->at_us = std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - start_).count();
    kept->number = ++total_;
    gone = std::exchange(ring_[(total_ - 1) % ring_.size()], kept);
    const auto known = totals_.find(std::tie(kept->api, kept->method, kept->outcome));
    if (known != totals_.end()) {
      ++known->second;
    } else {
      const bool room = totals_.size() < most_kinds;
      ++totals_[room ? Kind(kept->api, kept->method, kept->outcome) : Kind("(other)", "", kept->outcome)];
    }
    if (file_) file_->add(kept);
    wake = waiting_ > 0;
  }
  if (wake) added_.notify_all();
}

std::uint64_t Journal::total() const {
  const std::lock_guard lock(mutex_);
  return total_;
}

std::uint64_t Journal::oldest() const {
  const std::lock_guard lock(mutex_);
  return total_ - std::min<std::uint64_t>(total_, ring_.size()) + 1;
}

std::vector<JournalLine> Journal::entries(std::uint64_t from, std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  const std::uint64_t oldest = total_ - std::min<std::uint64_t>(total_, ring_.size()) + 1;
  std::vector<JournalLine> lines;
  for (std::uint64_t number = std::max(from, oldest); number <= total_ && lines.size() < limit; ++number) {
    lines.push_back(ring_[(number - 1) % ring_.size()]);
  }
  return lines;
}

bool Journal::wait_beyond(std::uint64_t number, std::chrono::steady_clock::time_point deadline) const {
  std::unique_lock lock(mutex_);
  ++waiting_;
  added_.wait_until(lock, deadline, [&] { return stopped_ || total_ > number; });
  --waiting_;
  return !stopped_ && total_ > number;
}

void Journal::stop_waiting() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  added_.notify_all();
}

std::vector<JournalTotal> Journal::totals() const {
  const std::lock_guard lock(mutex_);
  std::vector<JournalTotal> all;
  for (const auto& [kind, count] : totals_) {
    all.push_back({std::get<0>(kind), std::get<1>(kind), std::get<2>(kind), count});
  }
  return all;
}

std::uint64_t Journal::not_written() const { return file_ ? file_->not_written() : 0; }

}  // namespace tapedeck::replay
