#include "tests/support/device_state.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/support/device_drift.h"

namespace tapedeck::tests {

namespace {

struct Name {
  std::string label, rest;
};

Name split(const std::string& api) {
  const auto dot = api.find('.');
  return dot == std::string::npos ? Name{"", api} : Name{api.substr(0, dot), api.substr(dot + 1)};
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool has(const Params& params, const std::string& name) { return params.find(name) != params.end(); }

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  return text;
}

void replace_first(std::string& text, const std::string& what, const std::string& with) {
  if (const auto at = text.find(what); at != std::string::npos) {
    text.replace(at, what.size(), with);
  }
}

}  // namespace

DeviceState::DeviceState(const DeviceOptions& options) : options_(options), random_(std::random_device{}()) {
  if (!options_.answers_folder.empty()) {
    load_files(options_.answers_folder);
  }
}

void DeviceState::load_files(const std::string& folder) {
  std::map<std::string, std::filesystem::path> sorted;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") {
      sorted.emplace(entry.path().stem().string(), entry.path());
    }
  }
  // "<API>.<method>" is the shortest stem of its group. The rest of a longer stem is the variant.
  for (const auto& [stem, path] : sorted) {
    const auto cut = stem.rfind('.');
    const std::string parent = stem.substr(0, cut);
    const bool variant = cut != std::string::npos && sorted.count(parent) != 0;
    FileAnswers& answers = files_[split(variant ? parent : stem).rest];
    if (variant && parent.ends_with("API.Auth.login")) {
      answers.variants[stem.substr(cut + 1)] = read(path);
    } else {
      answers.bodies.push_back(read(path));
    }
  }
  if (files_.empty()) {
    throw std::runtime_error("no answers in " + folder);
  }
}

std::string DeviceState::token(std::size_t length) {
  static constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string value = "k7Q";  // three classes of characters, whatever follows
  while (value.size() < length) {
    value.push_back(alphabet[random_() % alphabet.size()]);
  }
  return value;
}

DeviceSession& DeviceState::new_session(const Params& params) {
  DeviceSession session;
  session.id = token(86);
  if (last_value(params, "enable_syno_token") == "yes") {
    session.csrf_token = token(13);
    secrets_.csrf_tokens.push_back(session.csrf_token);
  }
  if (last_value(params, "enable_device_token") == "yes") {
    session.device_id = token(64);
    secrets_.device_ids.push_back(session.device_id);
  }
  secrets_.session_ids.push_back(session.id);
  return sessions_.emplace(session.id, std::move(session)).first->second;
}

DeviceSession* DeviceState::session_of(const ApiRequest& request) {
  std::string id = last_value(request.params, "_sid");
  if (id.empty()) {
    id = request.cookie_id;
  }
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : &found->second;
}

DeviceAnswer DeviceState::login(const ApiRequest& request) {
  const Params& params = request.params;
  const std::string account = last_value(params, "account");
  const bool is_known = account == options_.account || account == coded_account || account == brief_account;
  if (!is_known || last_value(params, "passwd") != options_.password) {
    return error(400);
  }
  const std::string code = account == coded_account ? std::string(coded_accounts_code) : options_.two_factor_code;
  if (!code.empty()) {
    if (!has(params, "otp_code")) {
      return error(403, R"({"token":")" + token(32) + R"(","types":[{"type":"otp"}]})");
    }
    if (last_value(params, "otp_code") != code) {
      return error(404);
    }
  }
  DeviceSession& session = new_session(params);
  if (account == brief_account) session.calls_left = 2;
  std::string data = R"({"account":")" + account + "\"";
  data += session.device_id.empty() ? "" : R"(,"did":")" + session.device_id + "\"";
  data += R"(,"is_portal_port":false,"sid":")" + session.id + "\"";
  data += session.csrf_token.empty() ? "" : R"(,"synotoken":")" + session.csrf_token + "\"";
  DeviceAnswer answer = success(data + "}");
  answer.headers.emplace_back("Set-Cookie", "id=" + session.id + ";path=/;HttpOnly");
  if (!session.device_id.empty()) {
    answer.headers.emplace_back("Set-Cookie", "did=" + session.device_id + ";path=/;max-age=31536000");
  }
  return answer;
}

DeviceAnswer DeviceState::login_from_files(const ApiRequest& request) {
  const FileAnswers& answers = files_.at("API.Auth.login");
  if (last_value(request.params, "account") != options_.account ||
      last_value(request.params, "passwd") != options_.password) {
    return error(400);
  }
  const bool coded = has(request.params, "otp_code");
  DeviceAnswer answer;
  if (!options_.two_factor_code.empty() && !coded) {
    answer.body = answers.variants.at("code-needed");
    return answer;
  }
  answer.body = coded ? answers.variants.at("with-code") : answers.bodies.front();
  std::string id = "session_id";
  if (options_.live_ids) {
    const std::string published = "\"" + id + "\"";
    id = new_session(request.params).id;
    replace_first(answer.body, published, "\"" + id + "\"");
  } else {
    sessions_[id].id = id;
  }
  answer.headers.emplace_back("Set-Cookie", "id=" + id + ";path=/;HttpOnly");
  return answer;
}

DeviceAnswer DeviceState::logout(const ApiRequest& request) {
  if (const DeviceSession* session = session_of(request)) {
    const std::string id = session->id;
    sessions_.erase(id);
  }
  DeviceAnswer answer = success("");
  answer.headers.emplace_back("Set-Cookie", "id=deleted;path=/;expires=Thu, 01-Jan-1970 00:00:01 GMT");
  return answer;
}

DeviceAnswer DeviceState::from_files(const std::string& name, DeviceSession* session) {
  const auto found = files_.find(name);
  if (found == files_.end() || found->second.bodies.empty()) {
    return error(103);
  }
  const unsigned nth = session == nullptr ? 0 : session->calls[name]++;
  const auto& bodies = found->second.bodies;
  DeviceAnswer answer;
  answer.body = bodies[std::min<std::size_t>(nth, bodies.size() - 1)];
  answer.chunked = answer.body.size() > 1000;
  return answer;
}

DeviceAnswer DeviceState::run(const Operation& operation, OperationCall call) {
  if (call.session == nullptr && !operation.open) {
    return error(119);
  }
  for (const std::string& name : operation.required) {
    if (!has(call.params, name)) {
      return error(114, R"({"name":")" + name + R"(","reason":"required"})");
    }
  }
  if (!operation.allowed) {
    return error(105);
  }
  if (call.session != nullptr && call.session->calls_left > 0 && --call.session->calls_left == 0) {
    const std::string id = call.session->id;
    sessions_.erase(id);
    return error(106);
  }
  if (call.session != nullptr) {
    call.nth = call.session->calls[operation.api + "/" + operation.method]++;
  }
  return operation.answer(call);
}

DeviceAnswer DeviceState::compound(const ApiRequest& request, const DeviceSession& session) {
  const auto parts = nlohmann::json::parse(last_value(request.params, "compound"), nullptr, false);
  if (!parts.is_array()) {
    return error(114, R"({"name":"compound","reason":"type"})");
  }
  std::string results;
  bool failed = false;
  for (const auto& part : parts) {
    ApiRequest inner;
    for (const auto& [name, value] : part.items()) {
      inner.params.emplace(name, value.is_string() ? value.get<std::string>() : value.dump());
    }
    inner.params.emplace("_sid", session.id);
    const std::string method = last_value(inner.params, "method");
    const DeviceAnswer answer = dispatch(inner);
    failed = failed || answer.body.ends_with("\"success\":false}");
    // The part's members are inserted between those of the envelope, without the outer brace.
    results += (results.empty() ? "{\"api\":\"" : ",{\"api\":\"") + last_value(inner.params, "api") + "\"," +
               answer.body.substr(1, answer.body.rfind("\"success\"") - 1) + R"("method":")" + method +
               R"(","success":)" + (answer.body.ends_with("true}") ? "true" : "false") + R"(,"version":1})";
  }
  return success(R"({"has_fail":)" + std::string(failed ? "true" : "false") + R"(,"result":[)" + results + "]}");
}

DeviceAnswer DeviceState::dispatch(const ApiRequest& request) {
  std::string api = last_value(request.params, "api");
  api = api.empty() ? request.path_api : api;
  const std::string method = last_value(request.params, "method");
  const std::string version = last_value(request.params, "version");
  if (api.empty() || method.empty() || version.empty()) {
    return error(101);
  }
  const Name name = split(api);
  ++counts_[name.rest + "/" + method];
  DeviceSession* session = session_of(request);
  if (options_.old_firmware && name.rest == "API.Info") {
    return success("{\"" + name.label + R"(.API.Auth":{"maxVersion":2,"minVersion":1,"path":"auth.cgi"}})");
  }
  if (name.rest == "API.Auth" && lower(method) == "login") {
    return files_.empty() ? login(request) : login_from_files(request);
  }
  if (name.rest == "API.Auth" && lower(method) == "logout") {
    return logout(request);
  }
  if (!files_.empty()) {
    return from_files(name.rest + "." + method, session);
  }
  if (name.rest == "Entry.Request") {
    return session == nullptr ? error(119) : compound(request, *session);
  }
  const int number = std::atoi(version.c_str());
  int refusal = 102;
  for (const Operation& operation : operations()) {
    if (operation.api != name.rest) {
      continue;
    }
    if (number < operation.min_version || number > operation.max_version) {
      refusal = 104;
      continue;
    }
    if (operation.method == lower(method)) {
      return run(operation, OperationCall{name.label, request.params, 0, session, request.file, &device_});
    }
    refusal = refusal == 102 ? 103 : refusal;
  }
  return error(refusal);
}

DeviceAnswer DeviceState::answer(const ApiRequest& request) {
  const std::lock_guard lock(mutex_);
  DeviceAnswer answer = dispatch(request);
  const std::string api = last_value(request.params, "api");
  const std::string operation = split(api).rest + "/" + last_value(request.params, "method");
  drift(operation, answer);
  return answer;
}

std::map<std::string, unsigned> DeviceState::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

DeviceSecrets DeviceState::secrets() const {
  const std::lock_guard lock(mutex_);
  return secrets_;
}

}  // namespace tapedeck::tests
