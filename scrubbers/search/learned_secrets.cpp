#include "scrubbers/search/learned_secrets.h"

#include <algorithm>

#include "base/digest.h"
#include "base/text.h"
#include "scrubbers/rules/json_scanner.h"
#include "scrubbers/rules/plain_values.h"
#include "scrubbers/search/message_names.h"

namespace tapedeck::scrubbers {
namespace {

// Returns true for values that look like a name rather than a random ID. Random IDs are searched for even if a response
// uses one as a key.
bool looks_like_a_name(std::string_view value) {
  std::size_t digits = 0;
  for (const char c : value) {
    const bool digit = c >= '0' && c <= '9';
    const bool letter = base::is_letter(c);
    if (!digit && !letter && c != '_' && c != '-' && c != '.') return false;
    digits += digit ? 1 : 0;
  }
  return digits <= 1;
}

}  // namespace

LearnedSecrets::Id LearnedSecrets::note(std::string_view value, SecretClass secret_class, Learning learning) {
  if (const auto found = everywhere_.find(value); found != everywhere_.end()) return found->second;
  const std::size_t before = known_.size();
  const Id id = id_of(value, secret_class, learning != Learning::none);
  if (learning == Learning::unconfirmed && id == before && is_distinctive(value)) {
    constexpr std::size_t most_unconfirmed = 1000;
    unconfirmed_.push_back(id);
    if (unconfirmed_.size() > most_unconfirmed) unconfirmed_.pop_front();
  }
  if (learning < Learning::too_many) return id;
  Known& known = known_[id];
  const bool is_new = confirmed_.insert(known.value).second;
  const bool is_accepted = learning >= Learning::accepted && is_chosen(known);
  known.given = known.given || learning == Learning::given;
  // A distinctive value that a response contained first may come back as the stand-in of a replay.
  if (is_accepted && (is_new || !is_distinctive(value))) accepted_.insert(known.value);
  const bool may_search = learning != Learning::too_many;
  const bool everywhere = may_be_everywhere(value, learning) && (learning == Learning::given || !is_structural(known));
  if (everywhere && may_search && everywhere_.size() < most_searched) {
    search_everywhere(id);
  } else if (const auto reach = may_search ? reach_of(known, learning) : std::nullopt) {
    search_within(id, *reach);
  }
  const bool is_searched = known.everywhere || known.reach;
  known.beyond_limits = !is_searched && (everywhere || (may_search && reach_of(known, learning)));
  // From now on, this value counts as a secret under its name, even if it looks plain.
  if (is_new && !is_searched && is_plain_value(Values::phrase, {}, value)) ++changes_;
  return id;
}

LearnedSecrets::Id LearnedSecrets::id_of(std::string_view value, SecretClass secret_class, bool learn) {
  // A value that is not learned only needs to be distinguished from others, so a salted hash is stored.
  const std::string digest = learn ? std::string() : base::to_hex(base::hmac_sha256(salt_, value));
  const std::string_view text = learn ? value : digest;
  if (const auto named = by_name_.find({secret_class, text}); named != by_name_.end()) return named->second;
  const Id id = static_cast<Id>(known_.size());
  Known known;
  known.value = arena_.keep(text);
  known.shape = shape_of(value);
  known.secret_class = secret_class;
  known.learned = learn;
  known.named_before = keys_.contains(KeyLog::hash(value));
  by_name_.emplace(std::pair(secret_class, known.value), id);
  known_.push_back(std::move(known));
  return id;
}

bool LearnedSecrets::is_name(std::string_view value) const {
  return looks_like_a_name(value) && keys_.contains(KeyLog::hash(value));
}

bool LearnedSecrets::may_be_everywhere(std::string_view value, Learning learning) const {
  const bool is_secret =
      learning == Learning::given ? is_distinctive(value) && !is_own_text(value) : looks_like_credential(value);
  return value.size() <= longest_searched && is_secret && !is_name(value) && !scope_names_.contains(value);
}

/// Returns true for values that people or programs of a client choose. IDs and account names are none.
bool LearnedSecrets::is_chosen(const Known& known) {
  return known.secret_class > SecretClass::account && known.secret_class != SecretClass::otp_code;
}

bool LearnedSecrets::is_structural(Known& known) {
  if (!known.structural) {
    known.structural = (known.named_before && is_chosen(known)) || is_in_structure(known.value);
  }
  return *known.structural;
}

bool LearnedSecrets::is_structure_name(Id id, std::string_view name) const {
  if (is_message_name(name)) return true;
  const Known& known = known_[id];
  if (name == known.value) return known.named_before;
  // A distinctive value is no word of a name by chance.
  return known.reach == Reach::token && keys_.contains(KeyLog::hash(name));
}

std::optional<Reach> LearnedSecrets::reach_of(Known& known, Learning learning) const {
  // One-time codes are not searched for: they are already used, and six digits often occur by chance.
  if (known.secret_class == SecretClass::otp_code || known.value.size() < SecretSearch::shortest_token) return {};
  if (scope_names_.contains(known.value)) return {};
  if (learning >= Learning::accepted && is_chosen(known) && known.value.size() <= longest_searched &&
      !is_own_text(known.value)) {
    if (is_structural(known)) return Reach::whole;
    return is_distinctive(known.value) ? Reach::anywhere : Reach::token;
  }
  const bool is_whole = is_whole_secret(known.value) && !is_structure(known.value) && !is_name(known.value);
  return is_whole ? std::optional(Reach::whole) : std::nullopt;
}

void LearnedSecrets::search_everywhere(Id id) {
  Known& known = known_[id];
  known.everywhere = true;
  everywhere_.emplace(known.value, id);
  search_.add(id, known.value);
  ++changes_;
}

void LearnedSecrets::search_within(Id id, Reach reach) {
  Known& known = known_[id];
  if ((known.reach && *known.reach <= reach) || bounded_ >= most_bounded) return;
  if (!known.reach) ++bounded_;
  known.reach = reach;
  search_.add(id, known.value, reach);
  ++changes_;
}

void LearnedSecrets::reserve_name(std::string_view scope) {
  constexpr std::size_t most = 10'000;
  if (!scope.empty() && scope_names_.size() < most && !scope_names_.contains(scope)) scope_names_.emplace(scope);
}

LearnedSecrets::Counts LearnedSecrets::counts() const {
  Counts counts;
  for (const Known& known : known_) {
    counts.learned += known.learned ? 1 : 0;
    const bool is_whole = known.reach == Reach::whole && !known.everywhere;
    const bool is_structure = known.structural.value_or(false);
    counts.whole_only += is_whole && !is_structure ? 1 : 0;
    counts.structural += is_whole && is_structure ? 1 : 0;
    counts.beyond_limits += known.beyond_limits ? 1 : 0;
    counts.by_name_only += known.learned && !known.everywhere && !known.reach ? 1 : 0;
  }
  return counts;
}

void LearnedSecrets::offer_ticket(std::string_view value) {
  constexpr std::size_t most = 100'000;
  if (offered_tickets_.size() < most) offered_tickets_.insert(base::to_hex(base::hmac_sha256(salt_, value)));
}

bool LearnedSecrets::is_offered_ticket(std::string_view value) const {
  return !offered_tickets_.empty() && offered_tickets_.contains(base::to_hex(base::hmac_sha256(salt_, value)));
}

bool LearnedSecrets::knows(std::string_view value) const { return confirmed_.contains(value); }

bool LearnedSecrets::holds_session_id(std::string_view value) const {
  const std::vector<SearchHit> hits = search_.search(value);
  return std::any_of(hits.begin(), hits.end(),
                     [this](const SearchHit& hit) { return class_of(hit.value) == SecretClass::session_id; });
}

void LearnedSecrets::see_keys(const std::unordered_set<std::size_t>& hashes) {
  constexpr std::size_t most = 1u << 20;
  for (const std::size_t hash : hashes) {
    if (keys_.size() < most) keys_.insert(hash);
  }
}

std::uint32_t LearnedSecrets::scope_of(std::string_view name, std::uint32_t run) {
  if (name.empty()) return 0;
  const auto next = static_cast<std::uint32_t>(scopes_.size() + 1);
  return scopes_.try_emplace({std::string(name), run}, next).first->second;
}

const LearnedSecrets::Owner* LearnedSecrets::owner_in(const std::vector<Owner>& owners, std::uint32_t scope) const {
  const auto found = std::find_if(owners.begin(), owners.end(), [&](const Owner& owner) {
    const auto known = scope_of_session_.find(owner.session);
    return known == scope_of_session_.end() || known->second == scope;
  });
  return found == owners.end() ? nullptr : &*found;
}

std::uint32_t LearnedSecrets::session_of(Id id, std::uint32_t scope) {
  const Known& known = known_[id];
  if (const Owner* const owner = owner_in(known.owners, scope)) return owner->session;
  if (known.number > 0 && became_session_ids_.emplace(std::pair(known.secret_class, known.number - 1), id).second) {
    ++changes_;
  }
  scope_of_session_[++sessions_] = scope;
  give(id, sessions_);
  return sessions_;
}

std::optional<LearnedSecrets::Id> LearnedSecrets::became_session_id(SecretClass secret_class,
                                                                    std::uint32_t ordinal) const {
  const auto found = became_session_ids_.find({secret_class, ordinal});
  return found == became_session_ids_.end() ? std::nullopt : std::optional(found->second);
}

void LearnedSecrets::give(Id id, std::uint32_t session) {
  if (session == 0 || is_own(id, session)) return;
  std::uint32_t& owned = owned_[{session, known_[id].secret_class}];
  known_[id].owners.push_back({session, owned++});
}

LearnedSecrets::LearnedSecrets() : salt_(base::random_bytes(32)), search_(arena_) {}

bool LearnedSecrets::is_own(Id id, std::uint32_t session) const {
  const std::vector<Owner>& owners = known_[id].owners;
  return std::any_of(owners.begin(), owners.end(), [&](const Owner& owner) { return owner.session == session; });
}

std::uint32_t LearnedSecrets::number_of(Id id) {
  Known& known = known_[id];
  if (known.number > 0) return known.number;
  known.number = ++unowned_[known.secret_class];
  return known.number;
}

void LearnedSecrets::reserve(std::uint32_t sessions, std::uint32_t accounts) {
  sessions_ = std::max(sessions_, sessions);
  std::uint32_t& last_account = unowned_[SecretClass::account];
  last_account = std::max(last_account, accounts);
}

Redaction LearnedSecrets::describe(Id id, std::uint32_t session, std::uint32_t scope) {
  Known& known = known_[id];
  Redaction row;
  row.secret_class = known.secret_class;
  row.shape = known.shape;
  if (known.secret_class == SecretClass::session_id) static_cast<void>(session_of(id, scope));
  const auto own = std::find_if(known.owners.begin(), known.owners.end(),
                                [&](const Owner& owner) { return owner.session == session; });
  const Owner* const another = owner_in(known.owners, scope);
  if (own == known.owners.end() && another == nullptr) {
    row.ordinal = number_of(id) - 1;
    return row;
  }
  const Owner& owner = own == known.owners.end() ? *another : *own;
  row.whose = own == known.owners.end() ? Whose::another : Whose::own;
  row.owner = row.whose == Whose::another ? owner.session : 0;
  row.ordinal = owner.ordinal;
  return row;
}

void LearnedSecrets::each(const std::function<void(std::string_view, bool)>& visit) const {
  std::unordered_set<std::string_view> visited;
  for (const Known& known : known_) {
    if (!known.learned || !confirmed_.contains(known.value)) continue;
    const bool everywhere = known.everywhere || known.reach == Reach::anywhere;
    const bool is_replaced =
        everywhere || known.reach == Reach::token || (is_whole_secret(known.value) && !is_structure(known.value));
    // If a value has two classes, the one that is searched for counts.
    if (!is_replaced || (!known.everywhere && everywhere_.contains(known.value))) continue;
    if (visited.insert(known.value).second) visit(known.value, everywhere);
  }
}

}  // namespace tapedeck::scrubbers
