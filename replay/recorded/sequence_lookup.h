#pragma once
// Gives one thread access to one cassette: a reader with bounded caches.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/text_hash.h"
#include "base/two_generations.h"
#include "cassettes/read/cassette_reader.h"
#include "cassettes/read/request_identity.h"
#include "replay/recorded/account_filter.h"
#include "replay/recorded/compound_parts.h"
#include "replay/recorded/found_sequence.h"
#include "replay/recorded/match.h"
#include "replay/recorded/playable.h"
#include "replay/recorded/recorded_scope.h"
#include "replay/recorded/usage.h"
#include "replay/sessions/bound_values.h"

namespace tapedeck::replay {

struct LookupOptions {
  std::uint32_t number = 0;       ///< in the order of the command line
  std::uint32_t cassette_id = 0;  ///< OpenCassette::id
  bool secure = false;
  bool check_tokens = false;         ///< checks whether recorded requests had a CSRF token (--auth strict)
  const LiveRules* rules = nullptr;  ///< the rules of looser matching; null: none
  std::size_t cache_bytes = 8u << 20;
  Usage* usage = nullptr;              ///< counts for this cassette, shared by all threads; null if use is not counted
  const ScopeNames* scopes = nullptr;  ///< the scopes of this cassette; null if it has none
  const weblogin::ServerKeys* web_keys = nullptr;  ///< null: the cookie `_SSID` is an ordinary secret
};

/// The result for a key. If `sequences` is empty, nothing can be replayed.
struct LookupResult {
  enum class How {
    nothing,
    exact,
    part,       ///< recorded only as a part of compounds
    redacted,   ///< one recording that differs only in redacted places or private values
    loosely,    ///< matches by --ignore or --any-version
    ambiguous,  ///< several recordings differ only in redacted places or private values: `candidates`
  };
  How how = How::nothing;
  std::string match;  ///< description of an inexact match, for X-Tapedeck-Match
  /// Sorted by take (newest first) and lane, each with at least one response. For one take and lane, those of the
  /// request's range come first, then the calls alone, then the parts of compounds.
  std::vector<FoundSequence> sequences;
  std::uint32_t take =
      0;  ///< the take to replay: the newest in which the key succeeded, or else the newest that has it
  std::uint64_t hidden = 0;  ///< broken and withheld recordings of the key
  bool has_skipped = false;  ///< true if the key has complete responses that are skipped
  std::vector<std::string> candidates;
  bool is_unidentified = false;  ///< true if recordings are distinguished by secrets of which the request has none
  /// For an exact key with --ignore: the merged sequences that contain its recordings.
  std::vector<FoundSequence> around;
  /// parameters in which the candidates differ; empty if they differ in redacted places
  std::vector<std::string> private_params;
  std::shared_ptr<const RecordedScope> scope;  ///< the scope of the recordings; null: none
  RecordedAccounts::Tied tied;                 ///< the accounts of AccountFilter, if it names some
  std::optional<bool> accounts_differ;         ///< result of SequenceLookup::accounts_differ()
  /// If nothing was found, but with other values of these headers something would have been: their names.
  std::string other_headers;
};

/// What a lookup needs of a request besides its key.
struct LookupRequest {
  const http::Request* message = nullptr;  ///< null: redacted values of forms match nothing
  /// The header Range of a request for a part of a body. Parts that were recorded for the same range are found, too.
  std::string_view range;
  AccountFilter accounts = {};  ///< only recordings of these accounts are found
  /// The result of identity_of(). Only recordings of requests with the same values are found; without it, all.
  std::optional<std::string_view> headers = {};
};

/// Invariant 5: a read never passes a write that the client has not made, and different keys never share a response.
/// The lookup returns only recordings of the request's key, or those that a rule or a redaction makes equal to it, and
/// PositionPicker chooses among them. tests/replay/invariant_test.cpp checks it.
///
/// Use it on one thread. Every function can throw CassetteError (damaged).
class SequenceLookup {
 public:
  SequenceLookup(std::shared_ptr<const cassettes::CassetteReader> reader, LookupOptions options);

  [[nodiscard]] const cassettes::CassetteReader& reader() const { return *reader_; }
  [[nodiscard]] std::uint32_t number() const { return options_.number; }
  /// Returns the ID under which positions are stored. A replaced cassette has a new ID, so its positions start over.
  [[nodiscard]] std::uint32_t cassette_id() const { return options_.cassette_id; }
  [[nodiscard]] const api::KeyPolicy& policy() const { return policy_; }
  /// Returns the first label of API names if the cassette has exactly one.
  [[nodiscard]] const std::optional<std::string>& label() const { return label_; }

  [[nodiscard]] bool has_scopes() const { return options_.scopes != nullptr; }
  /// Sets the values of headers that tell its requests apart.
  void use(std::shared_ptr<const cassettes::RequestIdentities> identities);
  /// Returns the key's text with the cassette's label.
  [[nodiscard]] std::string text_of(const api::RequestKey& key) const;
  /// Returns the scope with this name (api::ScopeName), or the first scope whose redacted name matches it. Returns null
  /// if there is none.
  [[nodiscard]] std::shared_ptr<const RecordedScope> scope(const std::string& name);
  /// Returns true if exactly this key was recorded without a scope.
  [[nodiscard]] bool has(const api::RequestKey& key) const;
  /// Finds recordings in `scope`, or recordings without a scope if it is null. Tries the exact key, parts of compounds,
  /// redacted places, and looser rules, in this order. The result is valid until the next call.
  [[nodiscard]] LookupResult& find(const api::RequestKey& key, const LookupRequest& request = {},
                                   const std::shared_ptr<const RecordedScope>& scope = nullptr);
  /// Returns the accounts of a scope, or those without a scope.
  [[nodiscard]] const RecordedAccounts& accounts(const std::shared_ptr<const RecordedScope>& scope) const {
    return scope ? scope->accounts : accounts_;
  }
  /// Returns the sessions of a take, in a scope or without one.
  [[nodiscard]] const RecordedSessions& sessions(std::uint32_t take, const std::shared_ptr<const RecordedScope>& scope);
  /// Returns the accounts that have recorded a call, in the family of the take that is replayed.
  [[nodiscard]] std::set<RecordedAccounts::Place> accounts_of(const LookupResult& found) const;
  /// Returns true if the responses to these accounts differ, or those with and without an account.
  [[nodiscard]] bool accounts_differ(LookupResult& found);
  /// Returns the calls that are recorded as parts of compounds.
  [[nodiscard]] CompoundParts& parts() { return parts_; }
  [[nodiscard]] std::shared_ptr<const Playable> playable(const cassettes::SequenceInfo& sequence,
                                                         std::uint32_t position);
  [[nodiscard]] std::shared_ptr<const Playable> playable(const FoundSequence& sequence, std::uint32_t position);
  [[nodiscard]] std::uint32_t segment(FoundSequence& sequence, std::uint32_t position);
  /// Returns the `at_end` of the first rule that covers the key, if any.
  [[nodiscard]] std::optional<AtEnd> at_end(const api::RequestKey& key) const { return looseness_->at_end(key); }
  /// Returns true if status or body differ among the first 1,000 responses.
  [[nodiscard]] bool has_different_answers(FoundSequence& sequence);
  /// The recorded logins of an account in a scope, in order, for the key that found `found` there.
  struct Login {
    cassettes::SequenceInfo sequence;
    std::uint32_t position = 0;
  };
  [[nodiscard]] std::vector<Login> logins(const LookupResult& found, std::uint32_t account) const;
  /// Returns true if a rule binds parameters (--bind).
  [[nodiscard]] bool binds();
  /// A recording that matches a request except for the values of bound parameters. Each of these values occurs there
  /// for the first time.
  struct Bindable {
    api::RequestKey key;
    std::vector<Tie> ties;
    std::uint32_t take = 0, lane = 0, account = 0, ord = 0;
  };
  /// Returns such recordings of the request's accounts and headers, sorted by take (newest first) and lane, in recorded
  /// order.
  [[nodiscard]] std::vector<Bindable> bindable(const api::RequestKey& key,
                                               const std::shared_ptr<const RecordedScope>& scope,
                                               const LookupRequest& request);
  /// Returns the key without its ignored parameters. Recordings with equal reduced keys form one sequence.
  [[nodiscard]] std::string reduced(const api::RequestKey& key) const;

  /// Tells whether all recordings that differ only in these parameters (names as in a key) have equal responses, among
  /// those of the scope (its stored name; empty: none) and those without a scope. The answer is unknown if there are
  /// none, or too many to check.
  enum class Alike { yes, no, unknown };
  [[nodiscard]] Alike plays_alike(const api::RequestKey& recorded, const std::set<std::string>& params,
                                  const std::string& scope) const;

  /// Counts the recording as used.
  void played(const Playable& playable) {
    if (options_.usage != nullptr) options_.usage->mark(playable.number());
  }
  /// Returns the stored request of a playable's interaction.
  [[nodiscard]] http::Request recorded_request(const Playable& playable) const;
  /// Returns true if that request had a CSRF token. Always returns false without LookupOptions::check_tokens.
  [[nodiscard]] bool used_token(const Playable& playable);

 private:
  struct Position {
    std::int64_t sequence = 0;
    std::uint32_t position = 0;
    bool operator==(const Position&) const = default;
  };
  struct PositionHash {
    std::size_t operator()(const Position& position) const {
      return std::hash<std::uint64_t>{}(static_cast<std::uint64_t>(position.sequence) * 0x9e3779b97f4a7c15ULL +
                                        position.position);
    }
  };

  struct Candidate;
  /// Prepares a response and caches it.
  std::shared_ptr<const Playable> keep(const Position& place, cassettes::PlayedAnswer answer);
  /// Caches a result.
  LookupResult& keep(const std::string& place, LookupResult found);
  /// Drops cached results if the rules have changed.
  void follow_rules();
  using ScopePtr = std::shared_ptr<const RecordedScope>;
  /// Returns the facts about the responses of a sequence, in order. Returns at most cassettes::most_turns.
  [[nodiscard]] std::vector<cassettes::TurnFacts> turns(const FoundSequence& sequence) const;
  /// Adds a part of a sequence unless the request has other headers.
  void add_part(LookupResult& found, FoundSequence part, const std::string& headers, const std::string& origin) const;
  /// Of recordings whose headers match only because of redacted values, keeps those of one request.
  static void keep_matching_headers(LookupResult& found);
  /// Of ambiguous sequences, plays those whose requests with these headers have the same secrets.
  static void settle_secrets(LookupResult& found);
  [[nodiscard]] LookupResult look_up(const api::RequestKey& key, const std::string& text, const LookupRequest& request,
                                     const ScopePtr& scope);
  [[nodiscard]] LookupResult find_inexact(const api::RequestKey& key, const LookupRequest& request,
                                          const ScopePtr& scope);
  /// Returns the keys for comparisons if nothing matches. Calls alone come first.
  [[nodiscard]] std::vector<api::RequestKey> comparable(const api::RequestKey& key, const ScopePtr& scope);
  /// Chooses among candidates that the rules allow, and merges those of the nearest version.
  void choose_loose(std::vector<Candidate> candidates, const api::RequestKey& asked, const ScopePtr& scope,
                    LookupResult& found);
  /// Fills in LookupResult::around for an exact key with --ignore.
  void look_for_merged(const api::RequestKey& key, const std::string& text, const ScopePtr& scope, LookupResult& found);
  /// Adds the sequences of a recorded key that can be replayed.
  void add_recorded(LookupResult& found, const api::RequestKey& asked, const api::RequestKey& recorded,
                    const std::string& text, const ScopePtr& scope) const;
  /// Keeps the sequences with the secrets of the request, if it has any of them.
  void keep_matching_secrets(const api::RequestKey& asked, const api::RequestKey& recorded, const ScopePtr& scope,
                             LookupResult& found) const;
  /// Merges the sequences of each take and lane.
  void merge(std::vector<FoundSequence>& sequences) const;
  /// Calls CassetteReader::first_with() for a value in every form.
  [[nodiscard]] std::uint32_t first_with(const std::string& value, const cassettes::SequenceInfo& sequence,
                                         const std::string& scope);
  /// Chooses among candidates that differ only in private values.
  void choose_private(const std::vector<Candidate>& candidates, const ScopePtr& scope, const api::RequestKey& asked,
                      LookupResult& found);
  /// Adds the sequences of a recorded key, including parts of compounds. For a scope, adds only the sequences of its
  /// take.
  void fill(LookupResult& found, const api::RequestKey& asked, const api::RequestKey& recorded, const std::string& text,
            const ScopePtr& scope);
  void add(LookupResult& found, const std::vector<cassettes::SequenceInfo>& sequences, const ScopePtr& scope,
           bool are_parts) const;
  /// Sorts the sequences and chooses the take. Call it after all are added.
  void sort_and_choose_take(LookupResult& found, const ScopePtr& scope) const;
  /// Returns true if the key has a response, alone or as a part of a compound. For a scope, considers only its take.
  [[nodiscard]] bool is_recorded(const api::RequestKey& key, const ScopePtr& scope) const;
  /// Returns true if it has only broken and withheld recordings.
  [[nodiscard]] bool is_hidden(const api::RequestKey& key, const ScopePtr& scope) const;

  std::shared_ptr<const cassettes::CassetteReader> reader_;
  LookupOptions options_;
  std::shared_ptr<const Looseness> looseness_ = std::make_shared<const Looseness>();
  std::uint64_t rules_version_ = 0;
  api::KeyPolicy policy_;
  std::optional<std::string> label_;
  CompoundParts parts_;
  const RecordedAccounts accounts_;
  AccountFilter filter_;                     ///< of the current search
  std::optional<std::string_view> headers_;  ///< of the current search
  std::shared_ptr<const cassettes::RequestIdentities> identities_;
  std::map<std::uint32_t, RecordedSessions> sessions_;  ///< by take, without a scope
  base::TwoGenerations<std::string, ScopePtr, base::TextHash, std::equal_to<>> scopes_;
  base::TwoGenerations<std::string, LookupResult, base::TextHash, std::equal_to<>> found_;
  base::TwoGenerations<Position, CachedPlayable, PositionHash, std::equal_to<>> playables_;
  /// Responses that are too large for the cache. They are shared while they are sent.
  std::unordered_map<Position, std::weak_ptr<const Playable>, PositionHash> large_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::string, std::string>, std::uint32_t> first_with_;
};

/// The maximum number of candidates for a looser rule or a miss.
inline constexpr std::size_t most_candidates = 2'000;

}  // namespace tapedeck::replay
