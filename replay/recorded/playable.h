#pragma once
// Prepares a recorded response for sending again. Its head is rewritten once (docs/replay.md, "Details of HTTP"), and
// its redactions are located.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cassettes/read/cassette_reader.h"
#include "http/io/buffer_charge.h"
#include "http/server/exchange.h"
#include "replay/sessions/session.h"

namespace tapedeck::replay {

namespace weblogin {
class ServerKeys;
}

/// The place of a redaction in the text that is sent.
struct SpliceRow {
  std::size_t offset = 0;
  std::size_t length = 0;
  scrubbers::Redaction redaction;
};

/// A text with rows to replace. The rows ascend and do not overlap.
struct SpliceText {
  std::string text;
  std::vector<SpliceRow> rows;
  std::string origin;  ///< PlayedAnswer::origin; set if there are rows
};

/// Immutable. Its texts do not move while a shared_ptr to it exists.
class Playable : public std::enable_shared_from_this<Playable> {
 public:
  /// `secure`: cookies may keep `Secure`. `keys`, if not null, replace the device's key in the cookie `_SSID`. Throws
  /// CassetteError(damaged) for a row outside of its text.
  Playable(cassettes::PlayedAnswer answer, bool secure, const weblogin::ServerKeys* keys = nullptr);

  [[nodiscard]] std::int64_t number() const { return number_; }
  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] std::uint32_t segment() const { return segment_; }
  /// Returns how many writes this response counts as. For a compound, this is the number of its writing parts.
  [[nodiscard]] std::uint32_t divides() const { return divides_; }
  [[nodiscard]] std::optional<int> error_code() const { return error_code_; }
  [[nodiscard]] int status() const { return status_; }
  /// Returns the device's address if the body is a text that contains it (Take::device); otherwise empty.
  [[nodiscard]] const std::string& device() const { return device_; }
  /// Returns true if its session begins with it (PlayedAnswer::begins_session).
  [[nodiscard]] bool begins_session() const { return begins_session_; }
  /// Returns the recorded time in microseconds since 1970.
  [[nodiscard]] std::int64_t recorded_us() const { return recorded_us_; }
  /// Returns how long the device took to its first byte.
  [[nodiscard]] std::chrono::microseconds waited() const { return std::chrono::microseconds(waited_us_); }
  /// Returns true if its ETag or Last-Modified equals this validator and is a strong one (RFC 9110 §13.1.5).
  [[nodiscard]] bool has_validator(std::string_view validator) const;
  /// Returns true if its ETag is in the list `tags` of If-None-Match, or if that is `*`. Compares weakly.
  [[nodiscard]] bool has_tag(std::string_view tags) const;
  /// Returns the rows of the head. body_rows() returns those of the body.
  [[nodiscard]] const std::vector<SpliceRow>& head_rows() const { return head_.rows; }
  [[nodiscard]] const std::vector<SpliceRow>& body_rows() const { return body_.rows; }
  [[nodiscard]] std::size_t bytes() const;
  /// Counts the response against --buffer from now on, because it is sent without being in a cache. Call it on the
  /// lookup's thread.
  void charge() const { charge_.set(bytes()); }

  /// Returns the response for one session. `match` is the value of X-Tapedeck-Match; an empty value is left out. Copies
  /// nothing if there are no rows and no `match`.
  [[nodiscard]] http::PreparedReply prepare(const Session& session, std::string_view match) const;
  /// Returns the response of a recorded HEAD. It has no length, because the length of the body is unknown.
  [[nodiscard]] http::PreparedReply prepare_head(const Session& session, std::string_view match) const;
  /// Returns a 206 with the range in a request's header `range`, or nothing if the whole body is needed (range_in).
  [[nodiscard]] std::optional<http::PreparedReply> prepare_range(const Session& session, std::string_view match,
                                                                 std::string_view range) const;
  /// Returns the response with `body` in place of the recorded one.
  [[nodiscard]] http::PreparedReply prepare_body(const Session& session, std::string_view match,
                                                 std::string body) const;
  /// Returns a 304 with its headers.
  [[nodiscard]] http::PreparedReply prepare_unchanged(const Session& session, std::string_view match) const;
  /// Returns the position in the sent body for position `place` in the stored body.
  [[nodiscard]] std::size_t sent_place(const Session& session, std::size_t place) const;
  /// Returns only the body with the session's values.
  [[nodiscard]] std::string body_for(const Session& session) const;

 private:
  /// Returns the value of a recorded header, or an empty text.
  [[nodiscard]] std::string_view header(std::string_view name) const;

  std::int64_t number_;
  std::string id_;
  std::uint32_t segment_, divides_;
  std::optional<int> error_code_;
  int status_;
  bool begins_session_;
  std::string device_;
  std::int64_t recorded_us_, waited_us_;
  std::string recorded_line_;  ///< the header X-Tapedeck-Recorded-At
  bool has_length_;            ///< true if the status allows a body, and thus a Content-Length
  SpliceText head_;
  SpliceText body_;
  std::string whole_head_;  ///< the complete head with Content-Length, if there are no rows
  std::string_view whole_body_;
  mutable http::BufferCharge charge_;
};

/// A playable in a cache. If it is removed from the cache while it is sent, it is charged to --buffer.
class CachedPlayable {
 public:
  CachedPlayable() = default;
  explicit CachedPlayable(std::shared_ptr<const Playable> playable) : playable_(std::move(playable)) {}
  ~CachedPlayable() {
    if (playable_.use_count() > 1) playable_->charge();
  }
  CachedPlayable(CachedPlayable&&) = default;
  CachedPlayable& operator=(CachedPlayable&& other) noexcept {
    playable_.swap(other.playable_);
    return *this;
  }
  [[nodiscard]] const std::shared_ptr<const Playable>& get() const { return playable_; }

 private:
  std::shared_ptr<const Playable> playable_;
};

/// Returns the status line and headers in the form in which they are sent, each ended by CRLF, without Content-Length
/// (docs/replay.md, "Details of HTTP"). Leaves out hop-by-hop headers, Date, HSTS, and Alt-Svc, and the Domain and
/// lifetime of cookies, except for deletions. `rows` are the rows of the reason and the headers. `keys` as in Playable.
[[nodiscard]] SpliceText sent_head(const cassettes::PlayedAnswer& answer, bool secure,
                                   const weblogin::ServerKeys* keys = nullptr);

/// A range of a body (RFC 9110 §14), which is cut out of a recorded 200 (docs/replay.md, "Details of HTTP").
struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  ///< the last byte, inclusive
};

/// Returns the range of `bytes=a-b`, `bytes=a-`, or `bytes=-n` in `size` bytes. Returns nothing for several ranges,
/// other units, invalid ranges, and a range that cannot be satisfied, because the whole response is correct for all of
/// these (RFC 9110 §14.2).
[[nodiscard]] std::optional<ByteRange> range_in(std::string_view header, std::uint64_t size);

}  // namespace tapedeck::replay
