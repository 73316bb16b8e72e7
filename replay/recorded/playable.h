#pragma once
// A recorded answer made ready to be sent again: its head rewritten once (semantics §4), its redactions placed.

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

/// A redaction's place in the text that is sent.
struct SpliceRow {
  std::size_t offset = 0;
  std::size_t length = 0;
  scrubbers::Redaction redaction;
};

/// A text in which rows are to be replaced; rows ascend and do not overlap.
struct SpliceText {
  std::string text;
  std::vector<SpliceRow> rows;
  std::string origin;  ///< of one with rows: PlayedAnswer::origin
};

/// The head of an answer as it is sent, but for Content-Length. Of those without rows, the last one made for each
/// header set is kept: a cassette has few sets, and most answers have one of them. For one thread.
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

/// Immutable. Its texts never move while a shared_ptr to it lives.
class Playable : public std::enable_shared_from_this<Playable> {
 public:
  /// Throws CassetteError(damaged) for a row outside its text.
  Playable(cassettes::PlayedAnswer answer, SentHeads& heads);

  [[nodiscard]] std::int64_t number() const { return number_; }
  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] std::uint32_t segment() const { return segment_; }
  /// State-changing calls that it is; of a compound its parts that write.
  [[nodiscard]] std::uint32_t divides() const { return divides_; }
  [[nodiscard]] std::optional<int> error_code() const { return error_code_; }
  [[nodiscard]] int status() const { return status_; }
  /// Microseconds since the Unix epoch.
  [[nodiscard]] std::int64_t recorded_us() const { return recorded_us_; }
  /// True when its ETag or Last-Modified is this very validator, and a strong one (RFC 9110 §13.1.5).
  [[nodiscard]] bool has_validator(std::string_view validator) const;
  /// The part of a body that a 206 is; nothing if its head does not say.
  struct Part {
    std::uint64_t first = 0, last = 0, total = 0;
    std::string validator;  ///< its ETag, else its Last-Modified, else empty
  };
  [[nodiscard]] std::optional<Part> part() const;
  /// Those of head and body, in that order.
  [[nodiscard]] const std::vector<SpliceRow>& head_rows() const { return head_->rows; }
  [[nodiscard]] const std::vector<SpliceRow>& body_rows() const { return body_.rows; }
  [[nodiscard]] std::size_t bytes() const;
  /// It is in no cache, and counts against --buffer from now on: as long as somebody is sent it. For the lookup's
  /// thread.
  void charge() const { charge_.set(bytes()); }

  /// The answer for one session. `match` names what was not exact, for X-Tapedeck-Match; empty: all was. Without rows
  /// and `match` nothing is copied.
  [[nodiscard]] http::PreparedReply prepare(const Session& session, std::string_view match) const;
  /// The same for the recording of a HEAD: how long the body would be nobody knows, so the head does not say.
  [[nodiscard]] http::PreparedReply prepare_head(const Session& session, std::string_view match) const;
  /// 206 with the range that a request's header `range` asks for; nothing where it takes the whole body (range_in).
  [[nodiscard]] std::optional<http::PreparedReply> prepare_range(const Session& session, std::string_view match,
                                                                 std::string_view range) const;
  /// The same with another body.
  [[nodiscard]] http::PreparedReply prepare_body(const Session& session, std::string_view match, std::string body) const;
  /// The response of a 206 as if its whole body had been asked for, or with `range` that part of it.
  [[nodiscard]] http::PreparedReply prepare_whole(const Session& session, std::string_view match, std::string body,
                                                  std::optional<std::string_view> range) const;
  /// Where the byte at `place` of the stored body stands in the one that this session is sent.
  [[nodiscard]] std::size_t sent_place(const Session& session, std::size_t place) const;
  /// The spliced body alone.
  [[nodiscard]] std::string body_for(const Session& session) const;

 private:
  std::int64_t number_;
  std::string id_;
  std::uint32_t segment_, divides_;
  std::optional<int> error_code_;
  int status_;
  std::int64_t recorded_us_;
  std::string recorded_line_;  ///< the header line that says it
  bool has_length_;  ///< the status allows a body, and so a Content-Length
  std::shared_ptr<const SpliceText> head_;
  SpliceText body_;
  std::string whole_head_;  ///< with it; of an answer without rows
  std::string_view whole_body_;
  mutable http::BufferCharge charge_;
};

/// A playable's place in a cache. What leaves the cache while clients are sent it is charged to --buffer.
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

/// The status line and headers as they are sent, each line ended by CRLF, without Content-Length (semantics §4): no
/// hop-by-hop lines, Date, HSTS or Alt-Svc; cookies without Domain and lifetime, deletions aside. `rows` are those of
/// the reason and the headers.
[[nodiscard]] SpliceText sent_head(const cassettes::PlayedAnswer& answer, bool secure);

}  // namespace tapedeck::replay
