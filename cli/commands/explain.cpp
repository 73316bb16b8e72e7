// tapedeck explain: shows how replay would respond to one request, and why.

#include <iostream>
#include <memory>

#include <fmt/format.h>

#include "api/request_key.h"
#include "api/scope_name.h"
#include "api/scope_paths.h"
#include "api/write_guard.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "cassettes/read/cassette_reader.h"
#include "cassettes/read/request_identity.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "cli/options/replay_options.h"
#include "http/server/local_exchange.h"
#include "replay/replay_handler.h"

namespace tapedeck::cli {
namespace {

struct ExplainOptions {
  ReplayCommandOptions replay;
  std::string cassette;
  std::string url;
  std::string form;
  std::vector<std::string> headers;  ///< "Name: value"
};

/// Returns the path and query of a text that may be a whole URL.
std::string target_of(const std::string& url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string::npos) return url.starts_with('/') ? url : "/" + url;
  const std::size_t path = url.find_first_of("/?", scheme + 3);
  if (path == std::string::npos) return "/";
  const std::string rest = url.substr(path, url.find('#', path) - path);
  return rest.starts_with('/') ? rest : "/" + rest;
}

/// Returns the request whose key `ls` prints as `text`, or nothing if `text` is a URL.
std::optional<http::Request> request_of_key(const std::string& text) {
  if (text.starts_with('/') || text.find("://") != std::string::npos) return std::nullopt;
  const api::RequestKey key = api::RequestKey::parse(text);
  http::Request request;
  if (!key.is_call) {
    request.method = key.method;
    const std::size_t path = text.find(' ') + 1;
    request.target = text.substr(path, text.find(' ', path) - path);
  } else if (!key.method.empty() && !key.version.empty()) {
    const bool is_script = key.prefix.ends_with(".cgi") || key.prefix.ends_with(".php");
    request.method = "GET";
    request.target = key.prefix + (is_script ? "" : "/webapi/entry.cgi") + "?api=" + key.api.full() +
                     "&version=" + key.version + "&method=" + key.method;
    if (!key.item_text().empty()) request.target.append("&").append(key.item_text());
  }
  if (!request.target.starts_with('/')) return std::nullopt;
  request.headers.add("Host", "localhost");
  return request;
}

http::Request request_of(const ExplainOptions& options) {
  http::Request request;
  for (std::string_view line : options.headers) {
    const std::string_view name = base::take_until(line, ':');
    request.headers.add(name, base::trim(line));
  }
  if (options.form.empty()) {
    if (auto of_key = request_of_key(options.url)) {
      for (const http::Header& line : request.headers) of_key->headers.add(line.name, line.value);
      return *of_key;
    }
  }
  request.method = options.form.empty() ? "GET" : "POST";
  request.target = target_of(options.url);
  request.headers.add("Host", "localhost");
  request.body = options.form;
  if (!options.form.empty()) request.headers.add("Content-Type", "application/x-www-form-urlencoded");
  return request;
}

std::string effect_text(api::Effect effect) {
  if (effect == api::Effect::session) return "begins, continues, or ends a session";
  return effect == api::Effect::read ? "reads" : "changes the device";
}

/// Prints the request's scope, if any, and whether the cassette has it.
void print_scope(const ExplainOptions& options, const api::RequestedScope& said) {
  const auto& scope = said.scope ? said.scope : options.replay.replay.scope;
  if (!scope) return;
  const bool is_there = !cassettes::CassetteReader(options.cassette).scope(scope->name).empty();
  std::cout << fmt::format("scope    {}{}\n", printable(scope->text()), is_there ? "" : "  (in no take)");
}

/// Prints the key according to the key policy, base path, and label rule of the cassette.
void print_key(const ExplainOptions& options, http::Request request) {
  print_scope(options, api::scope_of(request));
  (void)api::take_scope_out(request, {});
  const cassettes::CassetteReader reader(options.cassette);
  const cassettes::CassetteInfo& info = reader.info();
  const api::KeyPolicy policy(info.key_policy);
  const api::RequestKey key = policy.key(request, info.base_path, {});
  const bool other_label = key.is_call && info.labels.size() == 1;
  std::cout << fmt::format("key      {}  (policy {})\n",
                           printable(other_label ? key.with_label(info.labels.front()) : key.text), info.key_policy);
  std::cout << "call     " << effect_text(api::WriteGuard::effect(request, info.base_path)) << '\n';
  if (const auto call = api::Call::from(request, info.base_path)) {
    std::string left_out;
    for (const api::Param& param : call->params()) {
      const bool in_login = call->is_any_login() && policy.leaves_out_of_login(param.name);
      if (in_login || policy.leaves_out(param.name)) left_out += (left_out.empty() ? "" : ", ") + param.name;
    }
    if (!left_out.empty()) std::cout << "ignored  " << printable(left_out) << '\n';
  }
}

/// Prints the headers that tell the request apart from others.
void print_headers(const ExplainOptions& options, const replay::ReplayOptions& replaying,
                   const http::Request& request) {
  const cassettes::CassetteReader reader(options.cassette);
  api::IdentityHeaders identity = api::IdentityHeaders::known();
  for (const std::string& name : replaying.match_headers) identity.add(name);
  for (const std::string& name : cassettes::learned_identity_headers({&reader})) identity.add(name);
  for (const api::HeaderValue& one : identity.values_of(request.headers)) {
    std::cout << fmt::format("header   {}: {}\n", printable(one.name), printable(one.value));
  }
}

/// Returns true for "Name: value".
bool is_header(const std::string& text) {
  const std::size_t colon = text.find(':');
  return colon != std::string::npos && http::is_safe({text.substr(0, colon), text.substr(colon + 1)});
}

void print_response(const http::Response& response) {
  std::cout << fmt::format("response {} {}\n", response.status, printable(response.reason));
  for (const http::Header& line : response.headers) {
    std::cout << "         " << printable(line.name) << ": " << printable(line.value) << '\n';
  }
  constexpr std::size_t shown_bytes = 4096;
  std::cout << '\n' << printable(std::string_view(response.body).substr(0, shown_bytes), true) << '\n';
  if (response.body.size() > shown_bytes) std::cout << fmt::format("… {} bytes in total\n", response.body.size());
}

void print_overlays(const replay::OverlayStore& overlays) {
  for (const auto& one : overlays.list()) {
    if (one.plays == 0) continue;
    std::cout << fmt::format("overlay  {} ({}:{})\n", printable(one.overlay->name), printable(one.overlay->file),
                             one.overlay->line);
  }
}

int explain(const ExplainOptions& options) {
  for (const std::string& line : options.headers) {
    if (!is_header(line)) throw UsageError("--header \"" + line + "\": must be a header such as \"X-Name: value\"");
  }
  const http::Request request = request_of(options);
  replay::ReplayOptions replaying = handler_options(options.replay, false);
  http::Request played = request;
  if (replaying.private_values) static_cast<void>(replaying.private_values->exchange(played));
  print_key(options, played);
  print_headers(options, replaying, played);
  replaying.cassettes = {options.cassette};
  replaying.recording_command.operands = base::shell_word(options.cassette);
  const auto handler = std::make_unique<replay::ReplayHandler>(std::move(replaying), 1);
  const auto exchange = std::make_shared<http::LocalExchange>(request);
  handler->handle(exchange);
  print_overlays(handler->overlays());
  for (const auto delay : exchange->delays()) {
    std::cout << fmt::format("delay    {:.1f} ms\n", static_cast<double>(delay.count()) / 1000);
  }
  if (exchange->connection_fault()) {
    constexpr const char* words[] = {"reset", "close", "garbage", "hang"};
    std::cout << "fault    " << words[static_cast<std::size_t>(*exchange->connection_fault())]
              << " instead of a response\n";
  } else {
    print_response(exchange->response());
  }
  return handler->stats().misses == 0 ? fine : incomplete;
}

}  // namespace

void add_explain(Command& program) {
  auto [command, options] = program.command("explain", "Show the response to a request and the reason for it", explain);
  command.argument("CASSETTE", into(options.cassette), "Cassette to read").required();
  command.argument("URL", into(options.url), "URL of the request, its path and query, or its key as `ls` prints it")
      .required();
  command.option("--form", "TEXT", into(options.form), "Form body; the request is then a POST");
  command.option("--header", "LINE", into(options.headers), "Header of the request, such as \"X-Name: value\"");
  add_player_options(command, options.replay);
  command.details =
      "Shows the key of the request, the rules that apply, and the recording that is used or the reason for a miss. "
      "The exit status is 3 for a miss.";
  command.common = {"--form",   "--header",      "--overlay", "--scope",       "--position", "--at-end",
                    "--ignore", "--any-version", "--auth",    "--no-fallback", "--config"};
  command.examples = {
      {"Find out why a request is a miss", "tapedeck explain nas.cassette \"$URL\""},
      {"Try a POST request", "tapedeck explain nas.cassette \"$URL\" --form \"api=SYNO.DSM.Info&version=2\""}};
}

}  // namespace tapedeck::cli
