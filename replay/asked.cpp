#include "replay/asked.h"

#include <algorithm>
#include <array>

#include "http/message/urlencoded.h"
#include "scrubbers/redaction.h"

namespace tapedeck::replay {
namespace {

using scrubbers::Redaction;
using scrubbers::SecretClass;
using scrubbers::Whose;

// Shorter values of a session are not looked for inside others: they would be found by accident.
constexpr std::size_t shortest_found_inside = 8;

bool leads(std::string_view base_path, std::string_view target) {
  return !base_path.empty() && target.starts_with(base_path) &&
         (target.size() == base_path.size() || target[base_path.size()] == '/');
}

std::optional<std::string> cookie(const http::Headers& headers, std::string_view name) {
  for (std::string_view line : headers.all("Cookie")) {
    while (!line.empty()) {
      const std::size_t end = std::min(line.find(';'), line.size());
      std::string_view piece = line.substr(0, end);
      line.remove_prefix(std::min(end + 1, line.size()));
      piece.remove_prefix(std::min(piece.find_first_not_of(" \t"), piece.size()));
      const std::size_t equals = piece.find('=');
      if (equals != std::string_view::npos && piece.substr(0, equals) == name) {
        return std::string(piece.substr(equals + 1));
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> query_value(const http::Request& request, std::string_view name) {
  const std::string_view query = http::split_target(request.target).query;
  if (query.find(name) == std::string_view::npos) return std::nullopt;
  for (http::Pair& pair : http::parse_urlencoded(query)) {
    if (pair.name == name) return std::move(pair.value);
  }
  return std::nullopt;
}

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

Asked::Asked(const http::Request& request, const std::vector<std::string>& base_paths, const api::KeyPolicy& policy,
             RequestMemo& memo)
    : request_(&request), is_head_(request.method == "HEAD") {
  if (is_head_) {
    changed_ = request;
    changed_->method = "GET";
    request_ = &*changed_;
  }
  for (const std::string& base_path : base_paths) {
    if (!leads(base_path, request.target)) continue;
    if (!changed_) changed_ = request;
    changed_->target.erase(0, base_path.size());
    if (!changed_->target.starts_with('/')) changed_->target.insert(0, 1, '/');
    request_ = &*changed_;
    break;
  }
  remembered_ = memo.recall(*request_, policy);
  if (remembered_ == nullptr) {
    (void)call();
    remembered_ = memo.remember(*request_, call_, policy);
  }
  if (remembered_ != nullptr) {
    memo_ = &memo;
    is_call_ = remembered_->is_call;
    kind_ = remembered_->kind;
    is_complete_ = remembered_->is_complete;
  } else if (call_) {
    is_call_ = true;
    kind_ = kind_of(*call_);
    is_complete_ = call_->complete();
  }
}

Asked::Asked(const Asked& whole, api::Call part)
    : named_cursors(whole.named_cursors),
      request_(whole.request_),
      call_(std::move(part)),
      is_parsed_(true),
      is_call_(true),
      kind_(kind_of(*call_)),
      is_complete_(call_->complete()),
      is_part_(true),
      session_(whole.session_) {}

const api::Call* Asked::call() const {
  if (!is_parsed_) {
    call_ = api::Call::from(*request_);
    is_parsed_ = true;
  }
  return call_ ? &*call_ : nullptr;
}

std::optional<std::string> Asked::presented_id() const {
  std::optional<std::string> id;
  if (memo_ != nullptr) {
    id = memo_->session_id();
  } else if (call() != nullptr) {
    if (const auto value = call_->value("_sid")) id = std::string(*value);
  } else {
    id = query_value(*request_, "_sid");
  }
  if (!id || id->empty()) id = cookie(request_->headers, "id");
  return id && !id->empty() ? id : std::nullopt;
}

bool Asked::has_token() const {
  if (!request_->headers.first("X-SYNO-TOKEN").value_or("").empty()) return true;
  if (call() != nullptr) return !call_->value("SynoToken").value_or("").empty();
  return query_value(*request_, "SynoToken").has_value();
}

const api::RequestKey& Asked::key(const api::KeyPolicy& policy, const SessionTable& sessions) {
  if (key_ != nullptr) return *key_;
  if (remembered_ != nullptr && is_free_of_ids(sessions)) return *(key_ = &remembered_->key);
  (void)call();
  const std::vector<api::Hole> holes = is_part_ ? std::vector<api::Hole>{} : own_values(policy, sessions);
  if (!holes.empty() && call_) call_ = api::Call::from(*request_, {}, holes);
  own_key_ = call_ ? policy.key(*call_) : policy.key(*request_, {}, holes);
  return *(key_ = &*own_key_);
}

/// True when nothing in the request can be a session's own value, so that its key is the remembered one.
bool Asked::is_free_of_ids(const SessionTable& sessions) const {
  if (session_ != nullptr) {
    if (!session_->has_plain_values()) return false;
    for (const OwnValue& own : values_of(*session_)) {
      if (holds(memo_->text(), own.value)) return false;
    }
  }
  return std::none_of(remembered_->possible_ids.begin(), remembered_->possible_ids.end(),
                      [&sessions](const std::string& value) { return sessions.find(value) != nullptr; });
}

void Asked::ask_as(std::string_view method) {
  changed_->method = method;
  key_ = nullptr;
  remembered_ = nullptr;
  memo_ = nullptr;
  call_.reset();
  is_parsed_ = false;
}

std::vector<api::Hole> Asked::own_values(const api::KeyPolicy& policy, const SessionTable& sessions) const {
  std::vector<api::Hole> holes;
  if (session_ == nullptr) return holes;
  const auto in_some_value = [&](std::string_view value) {
    if (!call_) return holds(request_->target, value) || holds(request_->body, value);
    return std::any_of(call_->params().begin(), call_->params().end(), [&](const api::Param& param) {
      return !policy.leaves_out(param.name) && holds(param.value, value);
    });
  };
  for (const OwnValue& own : values_of(*session_)) {
    if (!in_some_value(own.value)) continue;
    const std::string label = label_of(own.secret_class, Whose::own);
    std::vector<std::string> spellings = {std::string(own.value)};
    if (std::string encoded = http::percent_encode(own.value); encoded != own.value) spellings.push_back(encoded);
    for (const std::string& spelling : spellings) {
      find_all(holes, api::RequestPart::target, request_->target, spelling, label);
      find_all(holes, api::RequestPart::body, request_->body, spelling, label);
    }
  }
  if (!call_) return holes;
  for (const api::Param& param : call_->params()) {
    if (param.value.size() < shortest_foreign_id || policy.leaves_out(param.name)) continue;
    const auto other = sessions.find(param.value);
    if (other == nullptr || other == session_) continue;
    holes.push_back({param.part, param.raw, label_of(SecretClass::session_id, Whose::another)});
  }
  return holes;
}

}  // namespace tapedeck::replay
