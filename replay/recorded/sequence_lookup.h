#pragma once
// One cassette as one thread plays it: its reader behind bounded caches.

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
#include "replay/recorded/compound_parts.h"
#include "replay/recorded/live_rules.h"
#include "replay/recorded/match.h"
#include "replay/recorded/playable.h"
#include "replay/recorded/recorded_scope.h"
#include "replay/recorded/scope_names.h"
#include "replay/recorded/usage.h"
#include "replay/sessions/bound_values.h"

namespace tapedeck::replay {

struct LookupOptions {
  std::uint32_t number = 0;   ///< in the command line's order
  std::uint32_t cassette_id = 0;  ///< OpenCassette::id
  bool secure = false;
  bool check_tokens = false;         ///< look whether recorded requests carried a CSRF token (--auth strict)
  const LiveRules* rules = nullptr;  ///< of looser matching; null: none
  std::size_t cache_bytes = 8u << 20;
  Usage* usage = nullptr;              ///< of this cassette, shared by all threads; null: nobody asks
  const ScopeNames* scopes = nullptr;  ///< of this cassette; null: it has none
};

/// A sequence with what is known of its segments.
struct FoundSequence {
  cassettes::SequenceInfo info;
  bool is_part = false;  ///< of parts of compounds
  /// The first and the last of several, read when they are asked for: to see that no write divides it.
  std::optional<std::uint32_t> first_segment, last_segment;
  std::optional<bool> has_different_answers;
  /// Responses of several recorded sequences in recorded order (--ignore). `info` then says what they have in common:
  /// its id is that of none of them, and its count that of all.
  struct Merged {
    struct Place {
      std::uint32_t member = 0, position = 0, segment = 0;
    };
    std::vector<cassettes::SequenceInfo> members;
    std::vector<Place> places;
  };
  std::shared_ptr<const Merged> merged;  ///< null for one sequence
  /// Of what was recorded in a scope and is played outside of it: the positions that are not passed over there. Empty:
  /// all are played.
  std::vector<std::uint32_t> kept;

  /// How many of its answers have a turn, and which they are.
  [[nodiscard]] std::uint32_t count() const {
    return kept.empty() ? info.count : static_cast<std::uint32_t>(kept.size());
  }
  [[nodiscard]] std::uint32_t position(std::uint32_t turn) const { return kept.empty() ? turn : kept[turn]; }
  /// Outside of scopes (semantics §2), where ends of sessions are passed over beside anything else: what begins with
  /// one has nothing else.
  [[nodiscard]] bool is_of_ends() const;
};

/// What a key finds. Empty `sequences`: nothing that may be played.
struct Found {
  enum class How {
    nothing,
    exact,
    part,       ///< played as a part of compounds alone
    redacted,   ///< the one recording that differs only in redacted places, or in private values
    loosely,    ///< by --ignore or --any-version
    ambiguous,  ///< several recordings differ only in redacted places, or in private values: `candidates`
  };
  How how = How::nothing;
  std::string match;  ///< what was not exact
  /// The newest take first, then by lane, each with at least one answer. Of one take and lane first what the call was
  /// told alone, then what it was told as a part of compounds.
  std::vector<FoundSequence> sequences;
  std::uint32_t take = 0;       ///< that plays: the newest in which the key succeeded, or else that has it
  std::uint64_t hidden = 0;     ///< broken and withheld recordings of that key
  std::string conditional_key;  ///< the recorded key, when it has answers to conditions or ranges
  std::vector<std::string> candidates;
  bool is_unidentified = false;  ///< recordings are told apart by secrets, and the request has none of them
  /// Of an exact key under --ignore: the sequences that it is a part of.
  std::vector<FoundSequence> around;
  std::vector<std::string> private_params;     ///< in which the candidates differ; empty: in redacted ones
  std::shared_ptr<const RecordedScope> scope;  ///< in which it was recorded; null: in none

  /// The call is recorded, and yet nothing of it can be played (PlayNotes).
  [[nodiscard]] bool is_unplayable() const {
    return sequences.empty() && (how == How::ambiguous || hidden > 0 || !conditional_key.empty());
  }
};

/// For one thread. CassetteError (damaged) can come out of every call.
class SequenceLookup {
 public:
  SequenceLookup(std::shared_ptr<const cassettes::CassetteReader> reader, LookupOptions options);

  [[nodiscard]] const cassettes::CassetteReader& reader() const { return *reader_; }
  [[nodiscard]] std::uint32_t number() const { return options_.number; }
  /// What cursors know it by: a cassette that takes another one's place has cursors of its own.
  [[nodiscard]] std::uint32_t cassette_id() const { return options_.cassette_id; }
  [[nodiscard]] const api::KeyPolicy& policy() const { return policy_; }
  /// The only first label of the API names in it; nothing when there are several, or none.
  [[nodiscard]] const std::optional<std::string>& label() const { return label_; }

  [[nodiscard]] bool has_scopes() const { return options_.scopes != nullptr; }
  /// The key's text under the cassette's label.
  [[nodiscard]] std::string text_of(const api::RequestKey& key) const;
  /// The scope of that name (api::ScopeName), or the first one with redacted places that the name fits; null: it has
  /// none.
  [[nodiscard]] std::shared_ptr<const RecordedScope> scope(const std::string& name);
  /// True when that very key was recorded without a scope: it alone is looked for.
  [[nodiscard]] bool has(const api::RequestKey& key) const;
  /// What was recorded in `scope`, or without one. Exact key first, then parts of compounds, redacted places, looser
  /// rules. Good until the next call of a find. `contents`, those of the key's request, are for recordings in whose
  /// files or body something was redacted.
  [[nodiscard]] Found& find(const api::RequestKey& key, const Contents* contents = nullptr,
                            const std::shared_ptr<const RecordedScope>& scope = nullptr);
  /// Which calls are recorded as parts of compounds.
  [[nodiscard]] CompoundParts& parts() { return parts_; }
  /// The same in the first scope by name that has it; where none can play it, the first that is_unplayable().
  [[nodiscard]] Found& find_in_scopes(const api::RequestKey& key, const Contents* contents = nullptr);
  /// Answers to these conditions (api::conditions_of) on what has the conditional key of `plain`, in its scope.
  [[nodiscard]] Found& find_conditional(const Found& plain, std::string_view conditions);
  [[nodiscard]] std::shared_ptr<const Playable> playable(const cassettes::SequenceInfo& sequence,
                                                         std::uint32_t position);
  [[nodiscard]] std::shared_ptr<const Playable> playable(const FoundSequence& sequence, std::uint32_t position);
  [[nodiscard]] std::uint32_t segment(FoundSequence& sequence, std::uint32_t position);
  /// What a rule says about the end of the key's sequences; nothing: none does.
  [[nodiscard]] std::optional<AtEnd> at_end(const api::RequestKey& key) const { return looseness_->at_end(key); }
  /// Status or body differ; looks at the first 1,000 answers.
  [[nodiscard]] bool has_different_answers(FoundSequence& sequence);
  /// Lanes of a take, lane 0 aside, of what was recorded without a scope.
  [[nodiscard]] std::uint32_t lanes(std::uint32_t take);
  /// The recorded logins of an account of a scope, in their order, under the key that found `found` there.
  struct Login {
    cassettes::SequenceInfo sequence;
    std::uint32_t position = 0;
  };
  [[nodiscard]] std::vector<Login> logins(const Found& found, std::uint32_t account) const;
  /// What is recorded of a key for ranges; its `conditional_key` is that key.
  [[nodiscard]] std::vector<cassettes::CassetteReader::Conditional> ranges(const Found& plain) const;
  /// Some rule binds parameters (--bind).
  [[nodiscard]] bool binds();
  /// A recording that a request fits but for the values of bound parameters, each of which first appears there.
  struct Bindable {
    api::RequestKey key;
    std::vector<Tie> ties;
    std::uint32_t take = 0, lane = 0, ord = 0;
  };
  /// By take, newest first, then by lane, in recorded order.
  [[nodiscard]] std::vector<Bindable> bindable(const api::RequestKey& key,
                                               const std::shared_ptr<const RecordedScope>& scope);
  /// The key without its ignored parameters: recordings with equal ones are one sequence.
  [[nodiscard]] std::string reduced(const api::RequestKey& key) const;

  /// True if all recordings that differ from that one in these parameters alone (as a key spells their names) have
  /// equal responses. False if there are too many to look at.
  [[nodiscard]] bool plays_alike(const api::RequestKey& recorded, const std::set<std::string>& params) const;

  /// It goes out as an answer.
  void played(const Playable& playable) {
    if (options_.usage != nullptr) options_.usage->mark(playable.number());
  }
  /// The stored request of a playable's interaction.
  [[nodiscard]] http::Request recorded_request(const Playable& playable) const;
  /// True when that request carried a CSRF token; false without LookupOptions::check_tokens.
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
  /// Makes it ready, and notes it for those that ask next.
  std::shared_ptr<const Playable> keep(const Position& place, cassettes::PlayedAnswer answer);
  /// Forgets what was found under rules that are no longer those in force.
  void follow_rules();
  using ScopePtr = std::shared_ptr<const RecordedScope>;
  [[nodiscard]] Found look_up(const api::RequestKey& key, const std::string& text, const Contents* contents,
                              const ScopePtr& scope);
  [[nodiscard]] Found look_around(const api::RequestKey& key, const Contents* contents, const ScopePtr& scope);
  /// What a key is compared with where nothing has it: calls alone first.
  [[nodiscard]] std::vector<api::RequestKey> comparable(const api::RequestKey& key, const ScopePtr& scope);
  [[nodiscard]] Found look_in_scopes(const api::RequestKey& key, const std::string& text, const Contents* contents);
  /// The candidates that the rules of looser matching allow: those of the nearest version, merged.
  void choose_loose(std::vector<Candidate> candidates, const api::RequestKey& asked, const ScopePtr& scope,
                    Found& found);
  /// Of an exact key under --ignore: Found::around.
  void look_for_merged(const api::RequestKey& key, const std::string& text, const ScopePtr& scope, Found& found);
  /// Adds what may be played of a recorded key.
  void add_recorded(Found& found, const api::RequestKey& asked, const api::RequestKey& recorded,
                    const std::string& text, const ScopePtr& scope) const;
  /// Leaves those of the secrets that the request has, if it has any of them.
  void identify(const api::RequestKey& asked, const api::RequestKey& recorded, const ScopePtr& scope,
                Found& found) const;
  /// Makes one sequence of those of each take and lane.
  void merge(std::vector<FoundSequence>& sequences) const;
  [[nodiscard]] std::vector<cassettes::TurnFacts> turns(const FoundSequence& sequence) const;
  /// CassetteReader::first_with() of a value, however it is written.
  [[nodiscard]] std::uint32_t first_with(const std::string& value, const cassettes::SequenceInfo& sequence,
                                         const std::string& scope);
  /// Several candidates that differ in private values alone, or the one that plays.
  void choose_private(const std::vector<Candidate>& candidates, const ScopePtr& scope, const api::RequestKey& asked,
                      Found& found);
  /// With what may be played of a recorded key, as a part of compounds too; of a scope, of its take alone.
  void fill(Found& found, const api::RequestKey& asked, const api::RequestKey& recorded, const std::string& text,
            const ScopePtr& scope);
  void add(Found& found, const std::vector<cassettes::SequenceInfo>& sequences, const ScopePtr& scope,
           bool are_parts) const;
  /// All are added: puts them in order, and says which take plays.
  static void settle(Found& found, const ScopePtr& scope);
  /// It has an answer, of a scope in the take that plays; alone or as a part.
  [[nodiscard]] bool is_recorded(const api::RequestKey& key, const ScopePtr& scope) const;
  /// Broken and withheld recordings are all that it has.
  [[nodiscard]] bool is_hidden(const api::RequestKey& key, const ScopePtr& scope) const;
  /// Leaves out what is passed over outside of scopes (semantics §2).
  void pass_over_errors(Found& found) const;

  std::shared_ptr<const cassettes::CassetteReader> reader_;
  LookupOptions options_;
  std::shared_ptr<const Looseness> looseness_ = std::make_shared<const Looseness>();
  std::uint64_t rules_version_ = 0;
  api::KeyPolicy policy_;
  std::optional<std::string> label_;
  CompoundParts parts_;
  std::unordered_map<std::uint32_t, std::uint32_t> lanes_;
  base::TwoGenerations<std::string, ScopePtr, base::TextHash, std::equal_to<>> scopes_;
  base::TwoGenerations<std::string, Found, base::TextHash, std::equal_to<>> found_;
  base::TwoGenerations<Position, CachedPlayable, PositionHash, std::equal_to<>> playables_;
  /// Those that are too large for the cache, while somebody is sent one: others are sent the same.
  std::unordered_map<Position, std::weak_ptr<const Playable>, PositionHash> large_;
  SentHeads heads_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::string, std::string>, std::uint32_t> first_with_;
};

/// Candidates that a looser rule or a miss compares: more are not looked at.
inline constexpr std::size_t most_candidates = 2'000;

}  // namespace tapedeck::replay
