#include "replay/chain/request_context.h"

#include <algorithm>
#include <array>

#include "http/message/urlencoded.h"
#include "replay/recorded/header_match.h"
#include "scrubbers/login_holes.h"
#include "scrubbers/redaction/redaction.h"

namespace tapedeck::replay {
namespace {

using scrubbers::Redaction;
using scrubbers::SecretClass;
using scrubbers::Whose;

// Shorter session values are not searched for inside other values, because they would be found by accident.
constexpr std::size_t shortest_found_inside = 8;

std::string label_of(SecretClass secret_class, Whose whose) {
  Redaction redaction;
  redaction.secret_class = secret_class;
  redaction.whose = whose;
  return scrubbers::hole_label(redaction);
}

void find_all(std::vector<api::Hole>& holes, api::RequestPart part, std::string_view text, std::string_view value,
              const std::string& label) {
  for (std::size_t at = text.find(value); at != std::string_view::npos; at = text.find(value, at + value.size())) {
    holes.push_back({part, {at, value.size()}, label});
  }
}

struct OwnValue {
  std::string_view value;
  SecretClass secret_class;
};

std::array<OwnValue, 3> values_of(const Session& session) {
  return {{{session.id(), SecretClass::session_id},
           {session.csrf_token(), SecretClass::csrf_token},
           {session.device_id(), SecretClass::device_id}}};
}

bool holds(std::string_view text, std::string_view value) {
  return value.size() >= shortest_found_inside && text.size() >= value.size() &&
         text.find(value) != std::string_view::npos;
}

}  // namespace

RequestContext::RequestContext(const RequestContext& other, ParsedRequest asked)
    : selection(other.selection),
      identity_(other.identity_),
      exchanged_(other.exchanged_),
      originals_(other.originals_),
      parsed_(std::move(asked)),
      run_(other.run_),
      scope_run_(other.scope_run_),
      session_(other.session_) {}

RequestContext::RequestContext(const RequestContext& whole, api::Call part, std::uint32_t place)
    : RequestContext(whole, ParsedRequest(whole.parsed_, std::move(part), place)) {}

void RequestContext::set_session(std::shared_ptr<const Session> session) {
  session_ = std::move(session);
  if (session_ != nullptr) session_->add_originals(originals_);
}

RequestContext RequestContext::as_head() const { return RequestContext(*this, parsed_.as_head()); }

void RequestContext::enter(std::shared_ptr<ScopeRun> run) {
  run_ = run.get();
  scope_run_ = std::move(run);
}

const api::RequestKey& RequestContext::key() {
  if (own_key_) return *own_key_;
  is_key_remembered_ = is_key_remembered_ || (parsed_.remembered() != nullptr && is_free_of_ids());
  if (is_key_remembered_) return parsed_.remembered()->key;
  const api::Call* const call = parsed_.call();
  const std::vector<api::Hole> holes = parsed_.part() ? std::vector<api::Hole>{} : own_values();
  if (parsed_.part()) {
    own_key_ = parsed_.policy().key(*call);
  } else if (holes.empty()) {
    own_key_ = parsed_.policy().key(parsed_.request(), call, {}, {});
  } else {
    own_key_ = parsed_.policy().key(parsed_.request(), {}, holes);
  }
  return *own_key_;
}

bool RequestContext::hide_login_secret() {
  if (session_ == nullptr || session_->login_secret.empty() || parsed_.part()) return false;
  const http::Request& request = parsed_.request();
  std::vector<api::Hole> holes = scrubbers::login_holes(request, session_->login_secret, parsed_.is_call());
  if (holes.empty()) return false;
  const std::vector<api::Hole> own = own_values();
  holes.insert(holes.begin(), own.begin(), own.end());
  own_key_ = parsed_.policy().key(request, {}, holes);
  return true;
}

PlayRequest RequestContext::play_request() {
  PositionStore* const cursors = scope_run_ ? &scope_run_->cursors : nullptr;
  const bool needs_whole = (effects && !effects->pending.empty()) || (overlays && overlays->changes_body());
  std::string headers = identity_of(*identity_, parsed_.request().headers, *session_);
  PositionStore* const polls = connection ? &connection->positions : nullptr;
  return {parsed_, key(), *session_, selection, cursors, polls, run_->sessions, std::move(headers), needs_whole};
}

/// Returns true if the request can contain no session value, so that its key is the remembered one.
bool RequestContext::is_free_of_ids() const {
  if (session_ != nullptr) {
    if (!session_->has_plain_values()) return false;
    for (const OwnValue& own : values_of(*session_)) {
      if (holds(parsed_.text(), own.value)) return false;
    }
  }
  const std::vector<std::string>& values = parsed_.remembered()->possible_ids;
  return std::none_of(values.begin(), values.end(),
                      [this](const std::string& value) { return run_->sessions.find(value) != nullptr; });
}

std::vector<api::Hole> RequestContext::own_values() const {
  std::vector<api::Hole> holes;
  if (session_ == nullptr) return holes;
  const http::Request& request = parsed_.request();
  const api::Call* const call = parsed_.call();
  const auto in_some_value = [&](std::string_view value) {
    if (call == nullptr) return holds(request.target, value) || holds(request.body, value);
    return std::any_of(call->params().begin(), call->params().end(), [&](const api::Param& param) {
      return !parsed_.policy().leaves_out(param.name) && holds(param.value, value);
    });
  };
  for (const OwnValue& own : values_of(*session_)) {
    if (!in_some_value(own.value)) continue;
    const std::string label = label_of(own.secret_class, Whose::own);
    std::vector<std::string> spellings = {std::string(own.value)};
    if (std::string encoded = http::percent_encode(own.value); encoded != own.value) spellings.push_back(encoded);
    for (const std::string& spelling : spellings) {
      find_all(holes, api::RequestPart::target, request.target, spelling, label);
      find_all(holes, api::RequestPart::body, request.body, spelling, label);
    }
  }
  if (call == nullptr) return holes;
  for (const api::Param& param : call->params()) {
    if (param.value.size() < shortest_foreign_id || parsed_.policy().leaves_out(param.name)) continue;
    const auto other = run_->sessions.find(std::string(api::without_quotes(param.value)));
    if (other == nullptr || other == session_) continue;
    holes.push_back({param.part, param.raw, label_of(SecretClass::session_id, Whose::another)});
  }
  return holes;
}

}  // namespace tapedeck::replay
