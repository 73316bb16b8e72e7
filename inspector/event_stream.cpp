#include "inspector/event_stream.h"

#include <thread>

namespace tapedeck::inspector {
namespace {

std::string event(std::uint64_t number, const char* name, const std::string& data) {
  return "id: " + std::to_string(number) + "\nevent: " + name + "\ndata: " + data + "\n\n";
}

}  // namespace

std::string EventStream::batch() {
  const auto lines = journal_.entries(next_, largest_batch);
  if (lines.empty()) return {};
  std::string text;
  const std::uint64_t first = lines.front()->number;
  if (first > next_) {
    text +=
        event(first - 1, "gap", "{\"from\":" + std::to_string(next_) + ",\"to\":" + std::to_string(first - 1) + "}");
  }
  std::string rows = "[";
  for (const journal::JournalLine& line : lines) rows.append(rows.size() > 1 ? "," : "").append(to_json(*line));
  next_ = lines.back()->number + 1;
  return text + event(next_ - 1, "rows", rows + "]");
}

std::string EventStream::next(std::chrono::milliseconds time) {
  const auto since = Clock::now() - last_;
  if (since < between_batches) std::this_thread::sleep_for(between_batches - since);
  std::string text;
  if (journal_.wait_beyond(next_ - 1, Clock::now() + time)) text = batch();
  if (text.empty() && Clock::now() - last_ >= between_comments) text = ": nothing new\n\n";
  if (!text.empty()) last_ = Clock::now();
  return text;
}

}  // namespace tapedeck::inspector
