#include "http/server/upload_turns.h"

#include <algorithm>

#include "http/io/buffer_charge.h"

namespace tapedeck::http {
namespace {

/// A client that sends nothing for this long does not block other clients.
constexpr std::chrono::seconds stands_after{1};
constexpr std::size_t usual_piece = 256 * 1024;  // an estimate of how much more memory an upload will soon use

}  // namespace

bool UploadTurns::may_go_on(Place place, Clock::time_point now, bool request_waits) const {
  return may_go_on(place, now, request_waits, BufferCharge::total());
}

bool UploadTurns::may_go_on(Place place, Clock::time_point now, bool request_waits, std::size_t total) const {
  if (total <= limit_ / 2) return true;
  if (request_waits) return false;
  if (total > limit_) return place == uploads_.begin() && total <= BufferCharge::of_requests() + limit_ / 8;
  return std::none_of(uploads_.begin(), std::list<Upload>::const_iterator(place),
                      [now](const Upload& older) { return older.waits || now - older.moved < stands_after; });
}

ServerConnection* UploadTurns::next(Clock::time_point now, bool request_waits, std::size_t woken) {
  // Uploads after the first waiting one may only continue if that one may, too.
  const auto first = std::find_if(uploads_.begin(), uploads_.end(), [](const Upload& one) { return one.waits; });
  const std::size_t total = BufferCharge::total() + woken * usual_piece;
  if (first == uploads_.end() || !may_go_on(first, now, request_waits, total)) return nullptr;
  first->waits = false;
  first->moved = now;
  return first->connection;
}

}  // namespace tapedeck::http
