#include "replay/sessions/session.h"

#include <algorithm>

namespace tapedeck::replay {
namespace {

using scrubbers::SecretClass;
using scrubbers::Whose;

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

/// Length first, so that no account's name can be read as another name and an ordinal.
std::string seed_of(const Account& account, std::uint32_t ordinal, unsigned attempt) {
  std::string seed =
      "session " + std::to_string(account.name.size()) + ":" + account.name + "/" + std::to_string(ordinal);
  if (attempt > 0) seed += "/" + std::to_string(attempt);
  return seed;
}

std::string value_of(const std::string& seed, std::string_view what, std::string_view shape) {
  return scrubbers::make_of_shape(shape, seed + " " + std::string(what));
}

std::string word(const scrubbers::Redaction& redaction) {
  std::string text(to_string(redaction.secret_class));
  if (redaction.whose == Whose::another) text += " of " + std::to_string(redaction.owner);
  return text + ":" + std::to_string(redaction.ordinal);
}

}  // namespace

Session::Session(Kind kind, std::shared_ptr<Account> account, std::uint32_t ordinal, const MintShapes& shapes,
                 std::string id, unsigned attempt)
    : kind_(kind),
      account_(std::move(account)),
      ordinal_(ordinal),
      seed_(seed_of(*account_, ordinal, attempt)),
      id_(id.empty() ? value_of(seed_, "SESSION_ID:0", shapes.session_id) : std::move(id)),
      csrf_token_(value_of(seed_, "CSRF_TOKEN:0", shapes.csrf_token)),
      device_id_(value_of(seed_, "DEVICE_ID:0", shapes.device_id)),
      has_plain_values_(is_adoptable(id_) && is_adoptable(csrf_token_) && is_adoptable(device_id_)) {}

std::string Session::counterpart(const scrubbers::Redaction& redaction) const {
  if (redaction.whose != Whose::own) return scrubbers::make_of_shape(redaction.shape, "stand-in " + word(redaction));
  if (redaction.ordinal == 0) {
    if (redaction.secret_class == SecretClass::session_id) return id_;
    if (redaction.secret_class == SecretClass::csrf_token) return csrf_token_;
    if (redaction.secret_class == SecretClass::device_id) return device_id_;
  }
  switch (redaction.secret_class) {
    case SecretClass::session_id:
    case SecretClass::csrf_token:
    case SecretClass::device_id:
    case SecretClass::task_id:
      return value_of(seed_, word(redaction), redaction.shape);
    default:
      // Semantics §3: other classes get a stand-in that is the same in every session.
      return scrubbers::make_of_shape(redaction.shape, "stand-in " + word(redaction));
  }
}

bool is_adoptable(std::string_view id) {
  return !id.empty() && id.size() <= 512 && std::all_of(id.begin(), id.end(), is_unreserved);
}

}  // namespace tapedeck::replay
