// Reads frames of both sides. The result does not depend on the cuts, and what is read can be written and read again.

#include <string>
#include <utility>

#include "http/message/websocket.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace tapedeck;

/// Everything that a reader returns, with the pieces of messages joined.
std::string read(std::string_view bytes, std::size_t step, http::FrameSender sender, std::string& again) {
  http::FrameReader reader(sender);
  std::string out, message;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    const auto result = reader.feed(bytes.substr(at, step));
    for (const http::Frame& frame : result.frames) {
      if (frame.is_message()) message += frame.bytes;
      if (!frame.is_last) continue;
      const std::string whole = frame.is_message() ? std::exchange(message, {}) : frame.bytes;
      out += std::to_string(static_cast<int>(frame.kind)) + ":" + std::to_string(whole.size()) + ":" + whole;
      again += http::frame_bytes({frame.kind, whole, true}, sender);
    }
    if (result.failure) return out + "!" + std::to_string(static_cast<int>(*result.failure));
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const auto sender : {http::FrameSender::client, http::FrameSender::server}) {
    std::string again, same, third;
    const std::string whole = read(fuzz::text_of(data, size), std::max<std::size_t>(1, size), sender, again);
    fuzz::must(read(fuzz::text_of(data, size), size % 7 + 1, sender, same) == whole, "cuts do not matter");
    const std::string written = read(again, std::max<std::size_t>(1, again.size()), sender, third);
    fuzz::must(whole.starts_with(written), "what was written is read again");
  }
  return 0;
}
