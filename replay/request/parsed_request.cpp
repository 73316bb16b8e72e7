#include "replay/request/parsed_request.h"

#include <algorithm>

#include "api/request_params.h"
#include "http/message/multipart.h"
#include "http/message/urlencoded.h"
#include "scrubbers/text/decode.h"

namespace tapedeck::replay {
namespace {

bool leads(std::string_view base_path, std::string_view target) {
  return !base_path.empty() && target.starts_with(base_path) &&
         (target.size() == base_path.size() ||
          std::string_view("/?").find(target[base_path.size()]) != std::string_view::npos);
}

std::string query_value(const http::Request& request, std::string_view name) {
  const std::string_view query = http::split_target(request.target).query;
  if (query.find(name) == std::string_view::npos) return {};
  for (http::Pair& pair : http::parse_urlencoded(query)) {
    if (pair.name == name) return std::move(pair.value);
  }
  return {};
}

}  // namespace

ParsedRequest::ParsedRequest(const http::Request& request, const std::vector<std::string>& base_paths,
                             const api::KeyPolicy& policy, RequestMemo& memo)
    : request_(&request),
      policy_(policy),
      is_head_(request.method == "HEAD"),
      scope_(api::scope_of(request)),
      scope_segment_(api::scope_segment(request.target)) {
  if (is_head_) change().method = "GET";
  decode();
  leave_out_too_many_params();
  if (!scope_segment_.empty()) shorten(scope_segment_.size());
  const auto base_path = std::find_if(base_paths.begin(), base_paths.end(),
                                      [this](const std::string& one) { return leads(one, request_->target); });
  if (base_path != base_paths.end()) shorten(base_path->size());
  remembered_ = memo.recall(*request_, policy);
  if (remembered_ == nullptr) remembered_ = memo.remember(*request_, call(), policy);
  if (remembered_ != nullptr) {
    text_ = memo.text();
    is_call_ = remembered_->is_call;
    kind_ = remembered_->kind;
    session_step_ = remembered_->session_step;
    is_complete_ = remembered_->is_complete;
  } else if (call_) {
    is_call_ = true;
    kind_ = kind_of(*call_);
    is_complete_ = call_->complete();
  }
  if (remembered_ == nullptr && !is_head_) session_step_ = api::session_step(*request_, call());
  find_id(memo);
}

ParsedRequest::ParsedRequest(const ParsedRequest& whole, api::Call part, std::uint32_t place)
    : request_(whole.request_),
      policy_(whole.policy_),
      call_(std::move(part)),
      is_parsed_(true),
      is_call_(true),
      kind_(kind_of(*call_)),
      is_complete_(call_->complete()),
      whole_has_token_(whole.has_token()),
      part_(place),
      id_(whole.session_id()),
      scope_(whole.scope_),
      scope_segment_(whole.scope_segment_) {}

http::Request& ParsedRequest::change() {
  if (!changed_) {
    changed_ = std::make_unique<http::Request>(*request_);
    request_ = changed_.get();
  }
  return *changed_;
}

void ParsedRequest::decode() {
  constexpr std::size_t most = 64u << 20;  // the default limit of a request body
  if (request_->body.empty() || !request_->headers.contains("Content-Encoding")) return;
  scrubbers::DecodedBody decoded = scrubbers::decode_body(request_->headers, request_->body, most);
  if (!decoded.ok) return;
  change().body = std::move(decoded.body);
  changed_->headers.erase("Content-Encoding");
}

void ParsedRequest::leave_out_too_many_params() {
  const std::string& target = request_->target;
  const std::string& body = request_->body;
  if (target.size() + body.size() < most_parameters) return;
  auto count = std::count(target.begin(), target.end(), '&');
  const std::string_view path = http::split_target(target).path;
  const bool may_be_call =
      path.find("cgi") != path.npos || path.find("php") != path.npos || path.find('%') != path.npos;
  const bool is_sniffed =
      may_be_call && body.size() <= api::longest_sniffed && !http::multipart_boundary(request_->headers);
  if (is_sniffed || http::is_form(request_->headers)) count += std::count(body.begin(), body.end(), '&');
  if (static_cast<std::size_t>(count) < most_parameters) return;
  has_too_many_params_ = true;
  change().body.clear();
  changed_->target.erase(std::min(changed_->target.find('?'), changed_->target.size()));
}

void ParsedRequest::shorten(std::size_t length) {
  std::string& target = change().target;
  target.erase(0, length);
  if (!target.starts_with('/')) target.insert(0, 1, '/');
}

void ParsedRequest::find_id(const RequestMemo& memo) {
  if (remembered_ != nullptr) {
    id_ = memo.session_id();
  } else if (call_) {
    id_ = call_->session_id();
  }
  if (!id_.empty()) return;
  const bool has_no_parameter = remembered_ != nullptr && text_.find("sid=") == std::string_view::npos;
  if (has_no_parameter) {
    id_ = api::cookie_id(request_->headers, http::split_target(request_->target).path);
  } else {
    own_id_ = api::carried_id(*request_, call());
  }
}

ParsedRequest ParsedRequest::as_head() const {
  ParsedRequest head(*request_, policy_);
  head.change().method = "HEAD";
  head.is_parsed_ = true;
  head.is_head_ = true;
  head.id_ = session_id();
  head.scope_ = scope_;
  head.scope_segment_ = scope_segment_;
  return head;
}

const api::Call* ParsedRequest::call() const {
  if (!is_parsed_) {
    call_ = api::Call::from(*request_);
    is_parsed_ = true;
  }
  return call_ ? &*call_ : nullptr;
}

bool ParsedRequest::has_token() const {
  if (whole_has_token_ || !request_->headers.first("X-SYNO-TOKEN").value_or("").empty()) return true;
  return call() != nullptr ? !call_->value("SynoToken").value_or("").empty()
                           : !query_value(*request_, "SynoToken").empty();
}

}  // namespace tapedeck::replay
