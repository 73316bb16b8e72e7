#include "replay/request/request_memo.h"

#include <algorithm>

#include "http/message/urlencoded.h"

namespace tapedeck::replay {
namespace {

constexpr std::string_view id_name = "_sid";
constexpr std::size_t longest = 4096;  // in bytes, for target and form together

bool stands_for_itself(std::string_view raw) {
  return raw.find('%') == std::string_view::npos && raw.find('+') == std::string_view::npos;
}

std::vector<std::string> possible_ids(const api::Call& call, const api::KeyPolicy& policy) {
  std::vector<std::string> values;
  for (const api::Param& param : call.params()) {
    if (param.value.size() < shortest_foreign_id || policy.leaves_out(param.name)) continue;
    values.emplace_back(api::without_quotes(param.value));
  }
  return values;
}

std::size_t bytes_of(std::string_view text, const Remembered& entry) {
  return sizeof(Remembered) + 2 * text.size() + 2 * entry.key.text.size() + 128;
}

}  // namespace

CallKind kind_of(const api::Call& call) {
  if (call.is_login()) return CallKind::login;
  if (call.is_logout()) return CallKind::logout;
  if (call.is("API.Auth", "resume")) return CallKind::resumption;
  if (call.is_info()) return CallKind::info;
  return call.is_compound() ? CallKind::compound : CallKind::other;
}

/// Appends `text` from `begin` on to `shortened_`, without the values that keys leave out, and notes the session ID.
/// Appends nothing if nothing is left out. Returns false for an ID that needs escaping.
bool RequestMemo::shorten(std::string_view text, std::size_t begin, const api::KeyPolicy& policy) {
  std::size_t done = 0;
  bool has_id = false;
  const std::string_view pairs = text.substr(begin);
  for (std::size_t at = 0; const auto pair = http::next_pair(pairs, at);) {
    const std::string_view name = pairs.substr(pair->name.offset, pair->name.length);
    if (policy.leaves_out(name)) {
      shortened_.append(text.substr(done, begin + pair->name.offset + pair->name.length - done));
      done = begin + at;
    }
    if (name != id_name || has_id) continue;
    session_id_ = pairs.substr(pair->value.offset, pair->value.length);
    if (!stands_for_itself(session_id_)) return false;
    session_id_ = api::without_quotes(session_id_);
    has_id = true;
  }
  if (done > 0) shortened_.append(text.substr(done));
  return true;
}

/// Reads a request into its text. Most targets have no names to leave out and are their own text. Returns false for a
/// request whose meaning depends on more than its target or form.
bool RequestMemo::read(const http::Request& request, const api::KeyPolicy& policy) {
  const std::string_view target = request.target;
  text_ = session_id_ = {};
  shortened_.clear();
  is_form_ = request.method == "POST";
  if (is_form_) return read_form(request, policy);
  if (!request.body.empty() || request.method != "GET" || target.size() > longest) return false;
  if (request.headers.contains("Upgrade")) return false;
  const std::size_t begin = std::min(http::split_target(target).path.size() + 1, target.size());
  if (!shorten(target, begin, policy)) return false;
  text_ = shortened_.empty() ? target : shortened_;
  return true;
}

/// Reads a form. Its text is path and form with a line break between them, which no target contains.
bool RequestMemo::read_form(const http::Request& request, const api::KeyPolicy& policy) {
  const std::string_view target = request.target;
  if (request.body.empty() || target.size() + request.body.size() > longest || !http::is_form(request.headers) ||
      target.find('?') != std::string_view::npos || request.headers.contains("Content-Encoding"))
    return false;
  shortened_.append(target).append("\n");
  const std::size_t path = shortened_.size();
  if (!shorten(request.body, 0, policy)) return false;
  if (shortened_.size() == path) shortened_.append(request.body);
  text_ = shortened_;
  return true;
}

const Remembered* RequestMemo::recall(const http::Request& request, const api::KeyPolicy& policy) {
  is_readable_ = read(request, policy);
  return is_readable_ ? entries_.find(text_) : nullptr;
}

const Remembered* RequestMemo::remember(const http::Request& request, const api::Call* call,
                                        const api::KeyPolicy& policy) {
  // Only forms that are calls are remembered, because other keys contain the whole body.
  if (!is_readable_ || (is_form_ && call == nullptr) || !entries_.is_asked_again(text_)) return nullptr;
  Remembered entry;
  entry.session_step = api::session_step(request, call);
  // The text would contain a password.
  if (entry.session_step == api::SessionStep::login) return nullptr;
  if (call != nullptr) {
    // The parser recognizes an escaped name, but this class does not.
    if (call->session_id() != session_id_) return nullptr;
    entry.is_call = true;
    entry.kind = kind_of(*call);
    entry.is_complete = call->complete();
    entry.possible_ids = possible_ids(*call, policy);
  }
  entry.key = policy.key(request, call, {}, {});
  const std::size_t bytes = bytes_of(text_, entry);
  return entries_.insert(std::string(text_), std::move(entry), bytes);
}

}  // namespace tapedeck::replay
