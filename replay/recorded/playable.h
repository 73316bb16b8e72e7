#pragma once
// A recorded response prepared for sending again: its head is rewritten once (docs/replay.md, "Details of HTTP"), and
// its redactions are located.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cassettes/read/cassette_reader.h"
#include "http/io/buffer_charge.h"
#include "http/server/exchange.h"
#include "replay/sessions/session.h"

namespace tapedeck::replay {

/// The place of a redaction in the text that is sent.
struct SpliceRow {
  std::size_t offset = 0;
  std::size_t length = 0;
  scrubbers::Redaction redaction;
};

/// A text with rows to replace, which ascend and do not overlap.
struct SpliceText {
  std::string text;
  std::vector<SpliceRow> rows;
  std::string origin;  ///< if there are rows: PlayedAnswer::origin
};

/// Makes heads as they are sent, without Content-Length. Keeps the last one of each header set without rows, because
/// most responses of a cassette share few sets. For one thread.
class SentHeads {
 public:
  /// `secure`: cookies may keep `Secure`.
  explicit SentHeads(bool secure) : secure_(secure) {}
  [[nodiscard]] std::shared_ptr<const SpliceText> of(const cassettes::PlayedAnswer& answer);

 private:
  struct Plain {
    int status = 0;
    std::string reason;
    std::shared_ptr<const SpliceText> head;
  };

  bool secure_;
  std::unordered_map<std::int64_t, Plain> plain_;
};

/// Immutable. Its texts do not move while a shared_ptr to it lives.
class Playable : public std::enable_shared_from_this<Playable> {
 public:
  /// Throws CassetteError(damaged) for a row outside of its text.
  Playable(cassettes::PlayedAnswer answer, SentHeads& heads);

  [[nodiscard]] std::int64_t number() const { return number_; }
  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] std::uint32_t segment() const { return segment_; }
  /// Returns how many writes this response counts as. For a compound, this is the number of its writing parts.
  [[nodiscard]] std::uint32_t divides() const { return divides_; }
  [[nodiscard]] std::optional<int> error_code() const { return error_code_; }
  [[nodiscard]] int status() const { return status_; }
  /// Returns the recorded time in microseconds since 1970.
  [[nodiscard]] std::int64_t recorded_us() const { return recorded_us_; }
  /// Returns true if its ETag or Last-Modified is this validator, and a strong one (RFC 9110 §13.1.5).
  [[nodiscard]] bool has_validator(std::string_view validator) const;
  /// The part of a body that a 206 contains. Empty if its head does not say.
  struct Part {
    std::uint64_t first = 0, last = 0, total = 0;
    std::string validator;  ///< its ETag, else its Last-Modified, else empty
  };
  [[nodiscard]] std::optional<Part> part() const;
  /// The rows of head and body, in this order.
  [[nodiscard]] const std::vector<SpliceRow>& head_rows() const { return head_->rows; }
  [[nodiscard]] const std::vector<SpliceRow>& body_rows() const { return body_.rows; }
  [[nodiscard]] std::size_t bytes() const;
  /// Counts the response against --buffer from now on, because it is in no cache while it is sent. Call it on the
  /// lookup's thread.
  void charge() const { charge_.set(bytes()); }

  /// Returns the response for one session. `match` is the value of X-Tapedeck-Match; an empty one is left out. Copies
  /// nothing if there are no rows and no `match`.
  [[nodiscard]] http::PreparedReply prepare(const Session& session, std::string_view match) const;
  /// Returns the response of a recorded HEAD. It has no length, because the length of the body is unknown.
  [[nodiscard]] http::PreparedReply prepare_head(const Session& session, std::string_view match) const;
  /// Returns a 206 with the range in a request's header `range`, or nothing if the whole body is needed (range_in).
  [[nodiscard]] std::optional<http::PreparedReply> prepare_range(const Session& session, std::string_view match,
                                                                 std::string_view range) const;
  /// Returns the response with `body` in place of the recorded one.
  [[nodiscard]] http::PreparedReply prepare_body(const Session& session, std::string_view match, std::string body) const;
  /// Returns the response of a 206 for a request of the whole body, or of `range`.
  [[nodiscard]] http::PreparedReply prepare_whole(const Session& session, std::string_view match, std::string body,
                                                  std::optional<std::string_view> range) const;
  /// Returns the place in the sent body of the byte at `place` in the stored one.
  [[nodiscard]] std::size_t sent_place(const Session& session, std::size_t place) const;
  /// Returns only the body with the session's values.
  [[nodiscard]] std::string body_for(const Session& session) const;

 private:
  std::int64_t number_;
  std::string id_;
  std::uint32_t segment_, divides_;
  std::optional<int> error_code_;
  int status_;
  std::int64_t recorded_us_;
  std::string recorded_line_;  ///< the header X-Tapedeck-Recorded-At
  bool has_length_;            ///< the status allows a body, and thus a Content-Length
  std::shared_ptr<const SpliceText> head_;
  SpliceText body_;
  std::string whole_head_;  ///< the complete head with Content-Length, if there are no rows
  std::string_view whole_body_;
  mutable http::BufferCharge charge_;
};

/// A playable in a cache. If it leaves the cache while it is sent, it is charged to --buffer.
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

/// Returns the status line and headers as they are sent, each ended by CRLF, without Content-Length (docs/replay.md,
/// "Details of HTTP"): no hop-by-hop headers, Date, HSTS, or Alt-Svc; cookies without Domain and lifetime, except
/// deletions. `rows` are those of the reason and the headers.
[[nodiscard]] SpliceText sent_head(const cassettes::PlayedAnswer& answer, bool secure);

}  // namespace tapedeck::replay
