#include "scrubbers/search/learned_secrets.h"

#include <algorithm>
#include <array>
#include <bitset>

#include "base/digest.h"
#include "base/text.h"
#include "scrubbers/search/plain_words.h"
#include "scrubbers/text/json_scanner.h"
#include "scrubbers/text/text_forms.h"

namespace tapedeck::scrubbers {
namespace {

struct Looks {
  std::size_t classes = 0;    ///< of lower case, upper case, digits, others
  std::size_t different = 0;  ///< bytes
  bool digits_only = false;
};

Looks looks_of(std::string_view value) {
  std::bitset<256> bytes;
  std::array<bool, 4> classes{};
  for (const char c : value) {
    bytes.set(static_cast<std::uint8_t>(c));
    const std::size_t which = base::is_lower(c) ? 0 : base::is_upper(c) ? 1 : base::is_digit(c) ? 2 : 3;
    classes[which] = true;
  }
  Looks looks;
  looks.classes = static_cast<std::size_t>(std::count(classes.begin(), classes.end(), true));
  looks.different = bytes.count();
  looks.digits_only = classes[2] && looks.classes == 1;
  return looks;
}

// Written like a key, not like a random id: an id that some answer uses as a key must still be searched for.
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

bool is_distinctive(std::string_view value) {
  const Looks looks = looks_of(value);
  if (value.size() < SecretSearch::shortest || (value.size() < 12 && looks.classes < 3)) return false;
  if (looks.digits_only && value.size() < 16) return false;
  return looks.different >= 5 && !is_plain_word(value);
}

bool looks_like_id(std::string_view value) {
  const auto may_stand = [](char c) {
    return base::is_alnum(c) || std::string_view("+/=_%.-~|:").find(c) != std::string_view::npos;
  };
  return std::all_of(value.begin(), value.end(), may_stand) &&
         std::any_of(value.begin(), value.end(), base::is_digit) &&
         std::any_of(value.begin(), value.end(), base::is_letter);
}

LearnedSecrets::Id LearnedSecrets::note(std::string_view value, SecretClass secret_class, Learning learning) {
  const bool learn = learning != Learning::none;
  if (const auto found = everywhere_.find(value); found != everywhere_.end()) return found->second;
  if (looks_like_a_name(value) && keys_.contains(KeyLog::hash(value))) learning = std::min(learning, Learning::by_name);
  const bool may_be_searched = value.size() <= longest_searched && is_distinctive(value);
  const bool searched = may_be_searched && learning >= Learning::if_distinctive && searched_ < most_searched;
  // What is not learned is only told apart: a salted hash is enough for that.
  const std::string digest = learn ? std::string() : base::to_hex(base::hmac_sha256(salt_, value));
  const std::string_view text = learn ? value : digest;
  const auto named = by_name_.find({secret_class, text});
  if (named != by_name_.end() && !searched) {
    look_for_whole(named->second, learning, may_be_searched);
    return named->second;
  }
  const Id id = static_cast<Id>(known_.size());
  Known known{arena_.keep(text), shape_of(value), secret_class, learn, searched, false, false, {}, 0};
  if (named != by_name_.end()) {
    known.owners = known_[named->second].owners;
    set_beyond_limits(known_[named->second], false);
  }
  if (searched) {
    everywhere_.emplace(known.value, id);
    search_.add(id, known.value);
    ++searched_;
  } else {
    by_name_.emplace(std::pair(secret_class, known.value), id);
  }
  if (learn && named == by_name_.end()) ++learned_;
  known_.push_back(std::move(known));
  if (!searched) look_for_whole(id, learning, may_be_searched);
  return id;
}

void LearnedSecrets::look_for_whole(Id id, Learning learning, bool may_be_searched) {
  Known& known = known_[id];
  if (known.whole) return;
  // A one-time code is spent, and six digits stand in many places.
  const bool is_spent = known.secret_class == SecretClass::otp_code;
  const bool may_be_whole = learning == Learning::for_certain && !is_spent && is_whole_secret(known.value);
  if (may_be_whole && whole_.size() < WholeValues::most) {
    known.whole = true;
    whole_.add(id, known.value);
  }
  const bool is_cut = may_be_whole || (may_be_searched && learning >= Learning::too_many);
  set_beyond_limits(known, !known.whole && (is_cut || known.beyond_limits));
}

void LearnedSecrets::set_beyond_limits(Known& known, bool beyond) {
  if (beyond == known.beyond_limits) return;
  known.beyond_limits = beyond;
  beyond ? ++beyond_limits_ : --beyond_limits_;
}

bool LearnedSecrets::knows(std::string_view value) const {
  if (everywhere_.contains(value)) return true;
  for (int one = 0; one <= static_cast<int>(last_secret_class); ++one) {
    const auto found = by_name_.find({static_cast<SecretClass>(one), value});
    if (found != by_name_.end() && known_[found->second].learned) return true;
  }
  return false;
}

void LearnedSecrets::see_keys(const std::vector<std::uint64_t>& hashes) {
  constexpr std::size_t most = 1u << 20;
  for (const std::uint64_t hash : hashes) {
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
  if (const Owner* const owner = owner_in(known_[id].owners, scope)) return owner->session;
  scope_of_session_[++sessions_] = scope;
  give(id, sessions_);
  return sessions_;
}

void LearnedSecrets::give(Id id, std::uint32_t session) {
  if (session == 0 || is_own(id, session)) return;
  const auto owned = owned_.find({session, known_[id].secret_class});
  add_owner(id, {session, owned == owned_.end() ? 0 : owned->second});
}

void LearnedSecrets::add_owner(Id id, Owner owner) {
  Known& known = known_[id];
  known.owners.push_back(owner);
  std::uint32_t& owned = owned_[{owner.session, known.secret_class}];
  owned = std::max(owned, owner.ordinal + 1);
}

LearnedSecrets::LearnedSecrets() : salt_(base::random_bytes(32)), search_(arena_), whole_(arena_) {}

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

std::uint32_t LearnedSecrets::account_of(Id id) { return number_of(id); }

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
  for (const Known& known : known_) {
    if (known.learned) visit(known.value, known.everywhere);
  }
}

}  // namespace tapedeck::scrubbers
