#pragma once
// Reads a finished cassette (docs/cassette-format.md). Keeps nothing in memory that grows with the cassette.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cassettes/file/cassette_error.h"
#include "cassettes/file/take.h"
#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::cassettes {

struct CassetteInfo {
  std::string base_path;  ///< of the newest take, as the next two
  std::string device;     ///< Take::device of the newest take that has one
  int key_policy = api::KeyPolicy::current_number;
  std::string scrub_policy;
  std::vector<Take> takes;
  std::uint64_t interactions = 0;
  /// False if it is read through a private copy, together with an unfinished recording.
  bool finished = true;
  bool verified = true;              ///< true if all takes are verified
  bool has_parts = false;            ///< true if there are parts of compounds: parts()
  std::vector<std::string> labels;   ///< different first labels of API names, sorted
  std::vector<std::string> allowed;  ///< fingerprints of reviewed findings of the leak scan, sorted
};

/// A marked moment of a take.
struct Mark {
  std::uint32_t take = 0;
  std::int64_t at_us = 0;
  std::string name;
};

/// A scope of a take.
struct ScopeTake {
  std::string name;  ///< with 0x01, the class's word, 0x02 in a redacted place; empty: recorded without a scope
  std::uint32_t take = 0;
  std::uint32_t run = 0;
  bool complete = false;
  std::uint32_t lanes = 0;  ///< number of lanes without lane 0
};

/// An account that logged in.
struct RecordedAccount {
  std::uint32_t take = 0;
  std::uint32_t number = 0;             ///< from 1, in order of the first login in its take and scope
  std::optional<std::uint8_t> check{};  ///< scrubbers::account_check(), with the take's account_key
};

/// A recorded session of a scope.
struct RecordedSession {
  std::uint32_t number = 0;   ///< from 1, in order of the first request
  std::uint32_t account = 0;  ///< the account whose login created it; 0: no login of a named account is recorded there
  std::uint32_t lane = 0;
  bool has_handshake = false;  ///< true if the device answered its login with a handshake (docs/device-notes.md)
};

/// A key in a scope.
struct ScopedKey {
  std::string scope;
  api::RequestKey key;
};

/// The facts that determine which response is next.
struct TurnFacts {
  std::uint32_t account = 0;  ///< for a login: the account in its scope and take
  std::uint32_t session = 0;
  std::uint32_t ord = 0;          ///< its place within the take
  std::optional<int> error_code;  ///< PlayedAnswer::error_code
};
/// The number of positions of a sequence for which there are TurnFacts.
inline constexpr std::uint32_t most_turns = 10'000;

/// The responses to one key for one account in one lane of one take and scope: first those that are replayed, in
/// recorded order. Parts of compounds have separate sequences, with replayed responses only.
struct SequenceInfo {
  std::int64_t id = 0;  ///< row in the table `sequence`
  std::uint32_t take = 0;
  std::uint32_t lane = 0;            ///< within the take; lane 0 has the calls without a session
  std::uint32_t account = 0;         ///< RecordedAccount::number; 0: unknown
  std::uint32_t count = 0;           ///< responses that can be replayed (complete and not skipped)
  std::uint32_t passed_over = 0;     ///< number of complete responses that are skipped
  std::uint32_t hidden = 0;          ///< number of broken and withheld responses
  bool succeeded = false;            ///< true if at least one response is a success
  bool many_sessions = false;        ///< true if it contains several recorded sessions of the lane
  std::optional<int> first_error{};  ///< TurnFacts::error_code of its first interaction
  std::string secrets{};             ///< the secrets of its requests (docs/cassette-format.md)
  bool is_ambiguous = false;         ///< true if its requests differ only in secrets that replay cannot distinguish

  [[nodiscard]] std::int64_t rows() const { return std::int64_t{count} + passed_over + hidden; }
};

/// The data that replay needs for one position.
struct PlayedAnswer {
  std::int64_t number = 0;    ///< from 1 up to CassetteInfo::interactions
  std::string id;             ///< 16 hex digits; permanent
  std::uint32_t segment = 0;  ///< number of writes of the lane before it
  std::uint32_t divides = 0;  ///< number of writes in it: 1 for a write, the number of writing parts for a compound
  /// From the envelope: 0 for success, nothing without an envelope. For a compound whose parts all report the end of a
  /// session (api::ends_session), the code of the first one.
  std::optional<int> error_code;
  int status = 200;
  std::string reason;
  std::int64_t recorded_us = 0;  ///< time when its request was complete, in microseconds since the Unix epoch
  std::int64_t waited_us = 0;    ///< from then to the first byte of the response; 0: unknown
  std::int64_t header_set = 0;   ///< equal for responses of one reader with the same headers
  std::shared_ptr<const http::Headers> headers;
  std::string body;
  std::vector<scrubbers::Redaction> redactions;  ///< of the response only, sorted
  /// True if it contains the ID of its session and its request does not, so that the session begins with it.
  bool begins_session = false;
  std::string origin;  ///< if there are redactions: CassetteReader::origin() of its take and scope
  std::string device;  ///< Take::device of its take
};

/// One recorded response of a sequence, for dividing the sequence.
struct SequencePlace {
  std::uint32_t position = 0;  ///< in the sequence; those from SequenceInfo::count on are not replayed
  std::uint32_t segment = 0;
  TurnFacts facts;
  bool succeeded = false;
  std::int64_t interaction = 0, request_headers = 0;  ///< rows of the tables
};

/// A complete interaction with a set of request headers, without its content.
struct RequestWithHeaders {
  std::int64_t interaction = 0;
  std::uint32_t take = 0, session = 0;
  std::string scope, key;
  std::string response;  ///< equal for equal responses
  std::int64_t started_us = 0;
};

/// One line of `ls`.
struct ListedInteraction {
  std::int64_t interaction = 0;  ///< from 1 up to CassetteInfo::interactions, by take and ord
  std::string id;
  std::uint32_t take = 0, session = 0, lane = 0, position = 0;
  std::uint32_t account = 0;  ///< of the session, or of a login; 0: unknown
  bool is_played = false;     ///< true if it can be replayed at its position
  std::uint32_t ord = 0;      ///< its place within the take, from 1
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
  std::int64_t first_byte_us = 0;  ///< 0: unknown
  std::string reason;
};

struct FullInteraction {
  ListedInteraction line;
  scrubbers::InteractionRecord record;
};

/// A read-only connection. Use it on one thread at a time, or open one per thread. Throws CassetteError(damaged) if it
/// finds damage. If there is an unfinished recording, both are read through a private copy (mode 0600, unlinked
/// immediately), and the files stay unchanged. Functions without a scope's name return recordings without a scope.
class CassetteReader {
 public:
  /// Opens the cassette together with an unfinished recording (cassettes/open.cpp).
  explicit CassetteReader(const std::string& path);
  ~CassetteReader();
  CassetteReader(CassetteReader&&) noexcept;
  CassetteReader& operator=(CassetteReader&&) noexcept;

  [[nodiscard]] const CassetteInfo& info() const;
  /// Returns another connection to the same content, for another thread. Thread-safe.
  [[nodiscard]] CassetteReader clone() const;

  /// Returns the sequences of a key by its text, sorted by take (newest first) and lane.
  [[nodiscard]] std::vector<SequenceInfo> sequences(std::string_view key_text, std::string_view scope = {}) const;
  /// Returns the responses that a call received as a part of compounds, in the same order. The text is part_key().
  [[nodiscard]] std::vector<SequenceInfo> parts(std::string_view key_text, std::string_view scope = {}) const;
  /// Returns the accounts of a scope by take and number.
  [[nodiscard]] std::vector<RecordedAccount> accounts(std::string_view scope = {}) const;
  /// Returns the sessions of a take and scope by number.
  [[nodiscard]] std::vector<RecordedSession> sessions(std::uint32_t take, std::string_view scope) const;
  /// Returns true if one of them belongs to no known account. Takes less time than sessions().
  [[nodiscard]] bool has_unknown_account(std::uint32_t take, std::string_view scope) const;
  /// Returns the scopes that have the key, sorted by name, at most `limit`.
  [[nodiscard]] std::vector<std::string> scopes_with(std::string_view key_text, std::size_t limit) const;
  /// Does the same as keys_of() for all scopes, sorted by scope and text.
  [[nodiscard]] std::vector<ScopedKey> scoped_keys_of(std::string_view api_rest, std::string_view method,
                                                      std::size_t limit, bool is_call = true) const;
  /// Returns the facts about the replayed responses of a sequence, in order. Returns at most most_turns.
  [[nodiscard]] std::vector<TurnFacts> turns(const SequenceInfo& sequence) const;
  /// Returns all responses of a sequence by position, also those that are not replayed.
  [[nodiscard]] std::vector<SequencePlace> places(const SequenceInfo& sequence) const;
  /// Visits each set of request headers once, with its row in the table `headers`.
  void request_header_sets(const std::function<void(std::int64_t id, const http::Headers& headers)>& visit) const;
  /// Visits the complete interactions whose request has this set of headers; `visit` returns false to stop.
  void requests_with(std::int64_t header_set, const std::function<bool(const RequestWithHeaders&)>& visit) const;
  /// Returns the redactions in a request.
  [[nodiscard]] std::vector<scrubbers::Redaction> request_redactions(std::int64_t interaction) const;
  /// Returns a response by its position, from 0, including skipped ones. For a part of a compound, returns the response
  /// that the call would have received alone.
  [[nodiscard]] PlayedAnswer answer(const SequenceInfo& sequence, std::uint32_t position) const;
  /// Returns the segments of a sequence's responses, in order, at most `limit` from `from` on.
  [[nodiscard]] std::vector<std::uint32_t> segments(const SequenceInfo& sequence, std::uint32_t from,
                                                    std::uint32_t limit) const;
  /// Returns the seed of the stand-ins for secrets of a take and scope. It stays the same when the take is merged into
  /// another cassette.
  [[nodiscard]] std::string origin(std::uint32_t take, std::string_view scope) const;
  /// Returns the place within the take of the first interaction of a lane whose request or response contains one of the
  /// texts; 0 if none does.
  [[nodiscard]] std::uint32_t first_with(const std::vector<std::string>& texts, std::uint32_t take, std::uint32_t lane,
                                         std::string_view scope = {}) const;
  /// Returns how many interactions contain one of the texts, at most `limit`.
  [[nodiscard]] std::uint32_t count_with(const std::vector<std::string>& texts, std::uint32_t limit) const;
  /// Returns true if the body of a response contains this text.
  [[nodiscard]] bool has_response_with(std::string_view text) const;
  /// Calls visit(scope, key, take) for each key with ambiguous sequences, by scope and key.
  void conflicts(const std::function<void(const std::string&, const std::string&, std::uint32_t)>& visit) const;
  /// Returns the body of the first recorded response with this error code in its envelope, among those without
  /// redactions.
  [[nodiscard]] std::optional<std::string> error_body(int error_code) const;
  /// Returns the number of lanes of a take, without lane 0.
  [[nodiscard]] std::uint32_t lanes(std::uint32_t take, std::string_view scope = {}) const;
  /// Returns the takes that have the scope, newest first.
  [[nodiscard]] std::vector<ScopeTake> scope(std::string_view name) const;
  /// Visits all scopes by name and take; `visit` returns false to stop.
  void scopes(const std::function<bool(const ScopeTake&)>& visit) const;
  /// Returns the time of the first request of the scope in the newest take that has it, or nothing if no take has it.
  [[nodiscard]] std::optional<std::int64_t> first_us(std::string_view scope = {}) const;
  /// Returns the marks by take and time.
  [[nodiscard]] std::vector<Mark> marks() const;
  /// Returns every key of one API and method (without the first label, method in lower case), sorted by text, at most
  /// `limit`. For requests that are not calls, the method is the verb.
  [[nodiscard]] std::vector<api::RequestKey> keys_of(std::string_view api_rest, std::string_view method,
                                                     std::size_t limit, bool is_call = true,
                                                     std::string_view scope = {}) const;
  /// Returns true if the cassette has a call of this API (without its label), with any method and version.
  [[nodiscard]] bool has_api(std::string_view api_rest) const;
  /// Returns the different operations (API with label, version, method), sorted, for a composed API.Info.
  struct Operation {
    std::string api, version, method;
  };
  [[nodiscard]] std::vector<Operation> operations() const;

  /// Visits all interactions by scope, key (by the bytes of its text), take, lane, and position; `visit` returns false
  /// to stop.
  void list(const std::function<bool(const ListedInteraction&)>& visit) const;
  /// Visits all interactions with their content, one at a time, for exports and hashes.
  void each(const std::function<bool(const FullInteraction&)>& visit) const;
  /// Returns an interaction by its number (ListedInteraction::interaction).
  [[nodiscard]] FullInteraction at(std::int64_t interaction) const;
  /// Returns an interaction by the ID that `ls` shows, or by a unique prefix of 4 or more digits; nothing if there is
  /// none. Throws CassetteError(not_found) if several begin with it.
  [[nodiscard]] std::optional<FullInteraction> get(std::string_view id) const;

 private:
  CassetteReader();
  friend struct ReaderAccess;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tapedeck::cassettes
