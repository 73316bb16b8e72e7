#include "replay/chain/keeping.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/text.h"
#include "http/message/urlencoded.h"

namespace tapedeck::replay {
namespace {

using journal::HiddenValue;
using journal::KeptRequest;
using scrubbers::SecretClass;

constexpr std::size_t longest_path = 200;
constexpr std::size_t longest_headers = 8u << 10;

/// Returns true for headers whose values contain only facts about the request.
bool tells(std::string_view name) {
  static constexpr std::array<std::string_view, 7> names{
      "accept-encoding", "accept-language", "content-type", "origin", "range", "user-agent", "x-requested-with"};
  if (name.size() >= 3 && base::equal_no_case(name.substr(0, 3), "if-")) return true;
  if (base::equal_no_case(name, "accept")) return true;
  return std::any_of(names.begin(), names.end(),
                     [name](std::string_view one) { return base::equal_no_case(one, name); });
}

/// Returns a label for headers that carry a session. The journal shows that they exist, but not their values.
std::string_view label_of(std::string_view name) {
  if (base::equal_no_case(name, "cookie")) return "<COOKIE>";
  if (base::equal_no_case(name, "authorization")) return "<AUTHORIZATION>";
  if (base::equal_no_case(name, "x-syno-token")) return "<CSRF_TOKEN>";
  return {};
}

std::string shown_headers(const http::Headers& headers) {
  std::string text;
  for (const http::Header& line : headers) {
    const std::string_view label = label_of(line.name);
    if (label.empty() && !tells(line.name)) continue;
    if (text.size() + line.name.size() + line.value.size() > longest_headers) continue;
    text.append(line.name).append(": ").append(label.empty() ? std::string_view(line.value) : label).append("\r\n");
  }
  return text;
}

std::string left_out(const RequestContext& context) {
  std::string names;
  const auto add = [&](std::string_view name) {
    const api::KeyPolicy& policy = context.parsed().policy();
    const bool in_login = context.parsed().call() != nullptr && context.parsed().call()->is_any_login();
    const bool is_left_out = policy.leaves_out(name) || (in_login && policy.leaves_out_of_login(name));
    if (!is_left_out || names.find(name) != std::string::npos) return;
    names.append(names.empty() ? "" : ", ").append(name);
  };
  const http::Request& request = context.parsed().request();
  std::string_view query = http::split_target(request.target).query;
  while (!query.empty()) {
    std::string_view piece = base::take_until(query, '&');
    add(base::take_until(piece, '='));
  }
  if (request.body.empty() || context.parsed().call() == nullptr) return names;
  for (const api::Param& param : context.parsed().call()->params()) add(param.name);
  return names;
}

void add_own(const Session& session, std::vector<HiddenValue>& values) {
  values.push_back({session.id(), SecretClass::session_id});
  values.push_back({session.csrf_token(), SecretClass::csrf_token});
  values.push_back({session.device_id(), SecretClass::device_id});
}

/// Returns all values that a response might repeat and that must not be shown.
std::vector<HiddenValue> hidden_values(RequestContext& context, const journal::JournalKeys& keys) {
  const ParsedRequest& asked = context.parsed();
  std::vector<HiddenValue> values;
  add_own(context.session(), values);
  values.push_back({std::string(asked.session_id()), SecretClass::session_id});
  if (asked.kind() == CallKind::login) values.push_back({context.session().account().name, SecretClass::account});
  const api::Call* const call = asked.call();
  const auto add = [&](const api::RequestKey& key, const api::Call* of) {
    for (HiddenValue& one : keys.secret_values(key, of)) values.push_back(std::move(one));
  };
  add(context.key(), call);
  if (call != nullptr && asked.kind() == CallKind::compound) {
    for (const api::Call& part : call->parts().value_or(std::vector<api::Call>{})) add(asked.policy().key(part), &part);
  }
  return values;
}

void copy_answer(RequestContext& context, const Reply& reply, const journal::JournalKeys& keys, KeptRequest& kept) {
  const http::Response& answer = reply.response;
  const std::vector<HiddenValue> values = hidden_values(context, keys);
  kept.reason = answer.reason;
  kept.answer_headers = journal::without_values(answer.headers.to_text(), values);
  std::string room;
  const std::string_view body = reply.body_in(room);
  kept.answer = journal::without_values(body.substr(0, KeptRequest::longest_body), values);
  const bool is_whole = body.size() <= KeptRequest::longest_body;
  kept.body_bytes = is_whole ? kept.answer.text.size() : body.size();
}

}  // namespace

std::shared_ptr<const KeptRequest> keep(RequestContext& context, const Reply& reply, const journal::JournalKeys& keys) {
  auto kept = std::make_shared<KeptRequest>();
  const http::Request& request = context.parsed().request();
  if (!context.parsed().part()) {
    if (context.parsed().is_call()) kept->path = http::split_target(request.target).path.substr(0, longest_path);
    kept->left_out = left_out(context);
    kept->headers = shown_headers(request.headers);
  }
  if (reply.played && reply.prepared) {
    kept->cassette = reply.cassette;
  } else if (!reply.delivery || !reply.delivery->mishap) {
    copy_answer(context, reply, keys, *kept);
  }
  return kept;
}

}  // namespace tapedeck::replay
