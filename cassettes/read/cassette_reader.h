#pragma once
// Reading a cassette (design §5.1, docs/cassette-format.md). Nothing proportional to the cassette is read or held.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cassettes/file/cassette_error.h"
#include "cassettes/file/format.h"
#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::cassettes {

struct Take {
  std::uint32_t number = 0;  ///< from 1, by start: a position, not a name
  std::string id;            ///< 32 hex digits, by chance
  std::int64_t started_us = 0, ended_us = 0;
  std::string tool_version;
  std::string note;             ///< `record --note`
  std::string model, firmware;  ///< of the device, where a recorded answer says them
  bool verified = true;         ///< false: it was killed, and no scrub that knows its values has gone through it since
};

struct CassetteInfo {
  std::string base_path;
  int key_policy = api::KeyPolicy::current_number;
  std::string scrub_policy;
  std::vector<Take> takes;
  std::uint64_t interactions = 0;
  bool finished = true;              ///< false: with a recording that is not finished, through a private copy
  bool verified = true;              ///< of all takes
  bool has_parts = false;            ///< parts of compounds are answers to calls as well: parts()
  std::vector<std::string> labels;   ///< distinct first labels of the API names in it, sorted
  std::vector<std::string> allowed;  ///< fingerprints of the leak scan's suspects that were reviewed, sorted
};

/// A moment of a take that somebody wanted to find again.
struct Mark {
  std::uint32_t take = 0;
  std::int64_t at_us = 0;
  std::string name;
};

/// What one take has of one scope.
struct ScopeTake {
  std::string name;  ///< a redacted place in it stands as 0x01, the class's word, 0x02; empty: recorded without a scope
  std::uint32_t take = 0;
  std::uint32_t run = 0;
  bool complete = false;
  std::uint32_t lanes = 0;  ///< lane 0 aside
};

/// One recorded session of a scope.
struct RecordedSession {
  std::uint32_t number = 0;   ///< from 1, by its first request
  std::uint32_t account = 0;  ///< whose login made it; 0: no login of a named account that is recorded there
  std::uint32_t lane = 0;
};

/// A key and the scope that has it.
struct ScopedKey {
  std::string scope;
  api::RequestKey key;
};

/// What decides about the turn of one played answer.
struct TurnFacts {
  std::uint32_t account = 0;      ///< of a login: whose it is in its scope and take
  std::uint32_t session = 0;
  std::uint32_t ord = 0;          ///< place within the take
  std::optional<int> error_code;  ///< as in PlayedAnswer
};
/// Of longer sequences TurnFacts are known of the first ones.
inline constexpr std::uint32_t most_turns = 10'000;

/// The answers to one key in one lane of one take and scope: first the played ones, in recorded order. Those to a
/// condition, and parts of compounds, have sequences of their own, with played ones alone.
struct SequenceInfo {
  std::int64_t id = 0;  ///< row of the table `sequence`
  std::uint32_t take = 0;
  std::uint32_t lane = 0;            ///< within the take; lane 0 holds the calls without a session
  std::uint32_t count = 0;           ///< of interactions that may be played (complete, not passed over: semantics §2)
  std::uint32_t passed_over = 0;     ///< complete, but not played in their turn
  std::uint32_t hidden = 0;          ///< of broken and withheld ones
  bool succeeded = false;            ///< at least one answer says success
  bool many_sessions = false;        ///< it spans several recorded sessions of the lane
  std::optional<int> first_error{};  ///< TurnFacts::error_code of its first interaction
  std::string secrets{};             ///< which secrets its requests have (docs/cassette-format.md)
  bool is_ambiguous = false;         ///< its requests differ only in secrets that replay cannot tell apart

  [[nodiscard]] std::int64_t rows() const { return std::int64_t{count} + passed_over + hidden; }
};

/// What replay needs of one position, and no more.
struct PlayedAnswer {
  std::int64_t number = 0;    ///< from 1 up to CassetteInfo::interactions
  std::string id;             ///< 16 hex digits: for good
  std::uint32_t segment = 0;  ///< how many state-changing calls of the lane came before it
  std::uint32_t divides = 0;  ///< how many it is: 1 for a write, of a compound its parts that write
  /// Of its envelope; 0 for success, nothing for what is no envelope. Of a compound whose parts all tell of a session's
  /// end (api::ends_session) what the first one tells.
  std::optional<int> error_code;
  int status = 200;
  std::string reason;
  std::int64_t recorded_us = 0;  ///< when its request was whole, microseconds since the Unix epoch
  std::int64_t header_set = 0;   ///< answers of one reader with the same number have the same headers
  std::shared_ptr<const http::Headers> headers;
  std::string body;
  std::vector<scrubbers::Redaction> redactions;  ///< of the answer alone, sorted
  std::string origin;  ///< of one with redactions: CassetteReader::origin() of its take and scope
};

/// One line of `ls`.
struct ListedInteraction {
  std::int64_t interaction = 0;  ///< from 1 up to CassetteInfo::interactions, by take and ord
  std::string id;
  std::uint32_t take = 0, session = 0, lane = 0, position = 0;
  bool is_played = false;  ///< its position in its sequence is one that may be played
  std::uint32_t ord = 0;  ///< place within the take, from 1
  std::string scope;
  std::string key;
  std::string verb;
  int status = 0;
  std::optional<int> error_code;
  std::uint64_t body_bytes = 0;
  std::uint32_t redactions = 0;
  api::Completeness completeness = api::Completeness::complete;
  api::Effect effect = api::Effect::read;
  bool ended_by_client = false;
  std::int64_t started_us = 0, ended_us = 0;
  std::int64_t first_byte_us = 0;  ///< 0: not known
  std::string reason;
};

struct FullInteraction {
  ListedInteraction line;
  scrubbers::InteractionRecord record;
};

/// One connection, read-only; use it from one thread at a time, or open one per thread. Damage found by any call throws
/// CassetteError(damaged). Where a recording beside the cassette is not finished, both are read through a canonical
/// private copy (mode 0600, unlinked at once), and the files stay as they are. A call without a scope's name is about what
/// was recorded without one.
class CassetteReader {
 public:
  explicit CassetteReader(const std::string& path);
  ~CassetteReader();
  CassetteReader(CassetteReader&&) noexcept;
  CassetteReader& operator=(CassetteReader&&) noexcept;

  [[nodiscard]] const CassetteInfo& info() const;
  /// Another connection to the same content (the private copy too), for another thread; from any thread, at any time.
  [[nodiscard]] CassetteReader clone() const;

  /// The sequences of the key with that text: by take, newest first, then by lane.
  [[nodiscard]] std::vector<SequenceInfo> sequences(std::string_view key_text, std::string_view scope = {}) const;
  /// The answers that the key got for these conditions (api::conditions_of), likewise.
  [[nodiscard]] std::vector<SequenceInfo> conditional(std::string_view key_text, std::string_view conditions,
                                                      std::string_view scope = {}) const;
  /// All answers that the key got for conditions or ranges, with these: newest take first, at most `limit`.
  struct Conditional {
    std::string conditions;
    SequenceInfo sequence;
  };
  [[nodiscard]] std::vector<Conditional> conditional_all(std::string_view key_text, std::string_view scope,
                                                         std::size_t limit) const;
  /// The answers that a call got as a part of compounds, likewise; the text is part_key().
  [[nodiscard]] std::vector<SequenceInfo> parts(std::string_view key_text, std::string_view scope = {}) const;
  /// Of one take and scope, by their numbers.
  [[nodiscard]] std::vector<RecordedSession> sessions(std::uint32_t take, std::string_view scope) const;
  /// The scopes that have the key, by name; at most `limit`.
  [[nodiscard]] std::vector<std::string> scopes_with(std::string_view key_text, std::size_t limit) const;
  /// As keys_of(), of all scopes: by scope and text.
  [[nodiscard]] std::vector<ScopedKey> scoped_keys_of(std::string_view api_rest, std::string_view method,
                                                      std::size_t limit, bool is_call = true) const;
  /// Of the played answers of a sequence, in order; at most most_turns.
  [[nodiscard]] std::vector<TurnFacts> turns(const SequenceInfo& sequence) const;
  /// `position` counts from 0 to count-1. Of a part of a compound, it is the answer that the call alone would have got.
  [[nodiscard]] PlayedAnswer answer(const SequenceInfo& sequence, std::uint32_t position) const;
  /// The segments of a sequence's answers, in order, without their bodies; at most `limit` from `from` on.
  [[nodiscard]] std::vector<std::uint32_t> segments(const SequenceInfo& sequence, std::uint32_t from,
                                                    std::uint32_t limit) const;
  /// Returns what the stand-ins for secrets of a take and scope are made from: the same wherever the take is merged to.
  [[nodiscard]] std::string origin(std::uint32_t take, std::string_view scope) const;
  /// Returns the place within the take of the first interaction of that lane whose request or response contains one of
  /// the texts; 0 if none does.
  [[nodiscard]] std::uint32_t first_with(const std::vector<std::string>& texts, std::uint32_t take, std::uint32_t lane,
                                         std::string_view scope = {}) const;
  /// Returns how many interactions contain one of the texts, at most `limit`.
  [[nodiscard]] std::uint32_t count_with(const std::vector<std::string>& texts, std::uint32_t limit) const;
  /// Calls visit(scope, key, take) for each key with ambiguous sequences, by scope and key.
  void conflicts(const std::function<void(const std::string&, const std::string&, std::uint32_t)>& visit) const;
  /// The number of lanes of a take, lane 0 aside.
  [[nodiscard]] std::uint32_t lanes(std::uint32_t take, std::string_view scope = {}) const;
  /// The takes that have that scope, newest first.
  [[nodiscard]] std::vector<ScopeTake> scope(std::string_view name) const;
  /// All scopes, by name and take; `visit` returns false to stop.
  void scopes(const std::function<bool(const ScopeTake&)>& visit) const;
  /// When the first request of that scope came in the newest take that has it; nothing: it has none.
  [[nodiscard]] std::optional<std::int64_t> first_us(std::string_view scope = {}) const;
  /// By take and time.
  [[nodiscard]] std::vector<Mark> marks() const;
  /// Every key of one API and method (first label left out, method case-folded), ordered by text, at most `limit`; of
  /// what is no call those of a verb.
  [[nodiscard]] std::vector<api::RequestKey> keys_of(std::string_view api_rest, std::string_view method,
                                                     std::size_t limit, bool is_call = true,
                                                     std::string_view scope = {}) const;
  /// True when any call of that API (label left out) is in the cassette, in any method and version.
  [[nodiscard]] bool has_api(std::string_view api_rest) const;
  /// Distinct (api with label, version, method), for a composed API.Info; ordered.
  struct Operation {
    std::string api, version, method;
  };
  [[nodiscard]] std::vector<Operation> operations() const;

  /// In the order of scopes, keys (by their texts' bytes), takes, lanes and positions; `visit` returns false to stop.
  void list(const std::function<bool(const ListedInteraction&)>& visit) const;
  /// The same, whole, one at a time: for exports and hashes.
  void each(const std::function<bool(const FullInteraction&)>& visit) const;
  /// By the id that `ls` shows, or a unique prefix of at least 4 digits; nothing when there is none.
  /// Throws CassetteError(not_found) when several begin with it.
  [[nodiscard]] std::optional<FullInteraction> get(std::string_view id) const;

 private:
  CassetteReader();
  friend struct ReaderAccess;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tapedeck::cassettes
