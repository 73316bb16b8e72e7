#include "proxy/loop_guard.h"

#include "base/digest.h"
#include "base/text.h"

namespace tapedeck::proxy {
namespace {

constexpr std::string_view passed = "X-Tapedeck-Passed";
constexpr std::string_view looped = "X-Tapedeck-Loop";
constexpr std::size_t mark_bytes = 8;
constexpr std::size_t most_recorders = 64;

std::string marks_of(const http::Headers& request) { return std::string(request.first(passed).value_or("")); }

}  // namespace

LoopGuard::LoopGuard() : own_(base::to_hex(base::random_bytes(mark_bytes))) {}

bool LoopGuard::has_returned(const http::Headers& request) const {
  const std::string marks = marks_of(request);
  return marks.find(own_) != std::string::npos || marks.size() > most_recorders * (own_.size() + 1);
}

void LoopGuard::mark(const http::Headers& request, http::Headers& outgoing) const {
  const std::string marks = marks_of(request);
  outgoing.add(passed, marks.empty() ? own_ : marks + "," + own_);
}

http::Response LoopGuard::refusal() {
  http::Response response;
  response.status = 508;
  response.reason = "Loop Detected";
  response.headers.add("Content-Type", "text/plain; charset=utf-8");
  set_refusal(response.headers);
  response.body =
      "tapedeck: this request returned to the recorder that forwarded it; nothing was recorded\n"
      "hint: --device must be the URL of the device, not of the recorder or of a proxy in front of it\n";
  return response;
}

void LoopGuard::set_refusal(http::Headers& response) { response.add(looped, "1"); }

bool LoopGuard::is_refusal(const http::Headers& response) { return response.contains(looped); }

}  // namespace tapedeck::proxy
