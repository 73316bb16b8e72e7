#include "replay/sessions/session.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/digest.h"
#include "http/message/urlencoded.h"

namespace tapedeck::replay {
namespace {

using scrubbers::SecretClass;
using scrubbers::Whose;

std::string value_of(const std::string& seed, std::string_view what, std::string_view shape) {
  return scrubbers::make_of_shape(shape, seed + " " + std::string(what));
}

std::string word(const scrubbers::Redaction& redaction) {
  std::string text(to_string(redaction.secret_class));
  if (redaction.whose == Whose::another) text += " of " + std::to_string(redaction.owner);
  return text + ":" + std::to_string(redaction.ordinal);
}

}  // namespace

Session::Session(std::shared_ptr<Account> account, std::uint32_t ordinal, const MintShapes& shapes, unsigned attempt)
    : kind_(Kind::minted), account_(std::move(account)), ordinal_(ordinal), attempt_(attempt) {
  mint(shapes);
}

Session::Session(const Session& outside, std::shared_ptr<Account> account)
    : login_secret(outside.login_secret),
      kind_(Kind::minted),
      account_(std::move(account)),
      ordinal_(outside.ordinal_),
      attempt_(outside.attempt_),
      id_(outside.id_),
      csrf_token_(outside.csrf_token_),
      device_id_(outside.device_id_),
      has_plain_values_(outside.has_plain_values_),
      channel_(outside.channel_) {}

Session::Session(Kind kind, std::string known_as, const MintShapes& shapes, ScopeText scope)
    : kind_(kind),
      account_(std::make_shared<Account>(std::string(), std::move(scope))),
      known_as_(std::move(known_as)) {
  if (is_adoptable(known_as_)) id_ = std::exchange(known_as_, {});
  mint(shapes);
}

void Session::mint(const MintShapes& shapes) {
  const std::string seed = this->seed();
  if (id_.empty()) id_ = value_of(seed, "SESSION_ID:0", shapes.session_id);
  csrf_token_ = value_of(seed, "CSRF_TOKEN:0", shapes.csrf_token);
  device_id_ = value_of(seed, "DEVICE_ID:0", shapes.device_id);
  has_plain_values_ = is_adoptable(id_) && is_adoptable(csrf_token_) && is_adoptable(device_id_);
}

/// Returns the seed. Lengths precede texts, so that different accounts and ordinals never have equal seeds. The values
/// of an unknown ID do not depend on other IDs or on accounts.
std::string Session::seed() const {
  const bool is_login = kind_ == Kind::minted;
  const std::string& name = is_login ? account_->name : known_as();
  std::string seed = (is_login ? "session " : "id ") + std::to_string(name.size()) + ":" + name + "/";
  seed += std::to_string(ordinal_);
  if (account_->scope)
    seed.insert(0, "scope " + std::to_string(account_->scope->size()) + ":" + *account_->scope + " ");
  if (attempt_ > 0) seed += "/" + std::to_string(attempt_);
  return seed;
}

std::string stand_in(const scrubbers::Redaction& redaction, std::string_view origin) {
  return scrubbers::make_of_shape(redaction.shape, "stand-in " + std::string(origin) + " " + word(redaction));
}

std::string Session::counterpart(const scrubbers::Redaction& redaction, std::string_view origin) const {
  // Only in responses of API.Auth, which show an account its own name.
  const bool has_name = kind_ == Kind::minted && is_adoptable(account_->name);
  if (redaction.secret_class == SecretClass::account && has_name) return account_->name;
  if (redaction.whose != Whose::own) return stand_in(redaction, origin);
  if (redaction.ordinal == 0) {
    if (scrubbers::is_session_id(redaction)) return id_;
    if (redaction.secret_class == SecretClass::csrf_token) return csrf_token_;
    if (redaction.secret_class == SecretClass::device_id) return device_id_;
  }
  switch (redaction.secret_class) {
    case SecretClass::session_id:
    case SecretClass::csrf_token:
    case SecretClass::device_id:
    case SecretClass::task_id:
      return value_of(seed(), word(redaction), redaction.shape);
    default:
      // All other values have a stand-in that is the same in every session (docs/replay.md, "Sessions").
      return stand_in(redaction, origin);
  }
}

void Session::add_originals(const OriginalValues& originals) const {
  if (originals.places.empty()) return;
  const std::lock_guard lock(originals_mutex_);
  originals_.profile = originals.profile;
  scrubbers::PrivateProfile::Brought all;
  std::set_union(originals_.places.begin(), originals_.places.end(), originals.places.begin(), originals.places.end(),
                 std::back_inserter(all));
  originals_.places = std::move(all);
}

std::string Session::private_text(std::string_view stored, const scrubbers::Encoding& encoding) const {
  const std::lock_guard lock(originals_mutex_);
  return originals_.profile ? originals_.profile->written_back(stored, encoding, originals_.places)
                            : std::string(stored);
}

std::string short_name(std::string_view text) {
  return text.size() <= longest_name ? std::string(text) : "#" + base::to_hex(base::sha256(text));
}

bool is_adoptable(std::string_view id) {
  return !id.empty() && id.size() <= longest_name && std::all_of(id.begin(), id.end(), http::is_unreserved);
}

}  // namespace tapedeck::replay
