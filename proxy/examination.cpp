#include "proxy/examination.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include "api/envelope.h"
#include "api/json_spans.h"
#include "base/clock.h"
#include "base/text.h"
#include "http/io/event_loop.h"
#include "http/server/local_exchange.h"
#include "proxy/rewrite.h"
#include "scrubbers/text/codec.h"

namespace tapedeck::proxy {
namespace {

/// How long to wait for a device with plain HTTP to refuse a TLS handshake.
constexpr std::chrono::milliseconds shortest_look{1'000};
constexpr std::string_view nothing_to_do = "nothing to do";

std::string day(std::int64_t seconds) { return base::human_day(seconds * 1'000'000); }

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text.empty() ? "no name" : text;
}

std::string text_of(const http::BaseUrl& url) { return url.origin() + url.path; }

bool is_redirect(const http::Response& answer) {
  return answer.status >= 300 && answer.status < 400 && answer.headers.contains("Location");
}

/// Returns the paths before "/webapi" or the file's name, which may be the base path of a copied URL.
std::vector<std::string> paths_above(std::string path) {
  std::vector<std::string> paths;
  while (!path.empty()) {
    path.erase(path.rfind('/'));
    paths.push_back(path);
  }
  return paths;
}

/// The result of one request.
struct DeviceReply {
  http::Response answer;  ///< if it is not complete, the received part
  http::Ending ending = http::Ending::unreachable;
  std::string why;  ///< why it is not complete; contains no traffic data

  [[nodiscard]] bool is_whole() const { return ending == http::Ending::whole; }
};

/// Keeps the result of one request.
class OwnCall : public http::RelayClient {
 public:
  OwnCall(DeviceReply& reply, http::EventLoop& loop) : reply_(reply), loop_(loop) {}
  void rewrite(http::Response& /*head*/) override {}
  std::shared_ptr<const std::string> ended(http::Relayed&& relayed, http::Receipt /*given at once*/) override {
    reply_ = {std::move(relayed.response), relayed.ending, std::move(relayed.detail)};
    loop_.stop();
    return std::make_shared<const std::string>();
  }
  void commit_overdue() override {}

 private:
  DeviceReply& reply_;
  http::EventLoop& loop_;
};

/// Sends a request without a body on a new connection, and blocks until the response has arrived.
DeviceReply ask(const http::RelayOptions& options, http::Request request) {
  http::EventLoop loop;
  http::Relay relay(loop, options);
  DeviceReply reply;
  loop.post([&] {
    const auto exchange =
        std::make_shared<http::LocalExchange>(http::Request{request.method, request.target, 1, {}, {}});
    relay.forward(exchange, std::move(request), {}, true, std::make_shared<OwnCall>(reply, loop));
  });
  loop.run();
  return reply;
}

/// The facts about logins in a device's API.Info.
struct LoginInfo {
  std::string label;               ///< label of its API names
  std::string path = "entry.cgi";  ///< under /webapi/
  unsigned version = 6;            ///< the newest version that both sides support
};

/// Returns the text of a JSON string or number; empty for other values.
std::string plain(std::optional<std::string_view> json) {
  if (!json || json->empty()) return {};
  if (json->front() != '"') return json->find_first_of("{[") == std::string_view::npos ? std::string(*json) : "";
  if (json->size() < 2) return {};
  return scrubbers::decode_text(scrubbers::Codec::json, json->substr(1, json->size() - 2));
}

/// Returns nothing if the response is not API.Info or does not list API.Auth.
std::optional<LoginInfo> login_info(std::string_view body, const std::string& label) {
  constexpr unsigned newest = 7;
  const auto verdict = api::verdict(body);
  const auto data = verdict && verdict->success ? api::json_member(body, "data") : std::nullopt;
  const auto entry = data ? api::json_member(*data, label + ".API.Auth") : std::nullopt;
  if (!entry) return std::nullopt;
  LoginInfo info{label};
  if (std::string path = plain(api::json_member(*entry, "path")); !path.empty()) info.path = std::move(path);
  const auto version = base::whole_number<unsigned>(plain(api::json_member(*entry, "maxVersion")));
  info.version = std::min(version.value_or(info.version), newest);
  return info;
}

/// One run of an examination.
class Examiner {
 public:
  explicit Examiner(const ExaminationOptions& options) : options_(options), device_(options.relay.device) {}

  Examination run() {
    look_at_environment();
    if (reach() && find_interface()) {
      look_at_clock();
      look_at_interface();
    }
    result_.device = text_of(device_);
    return std::move(result_);
  }

 private:
  void add(Grade grade, std::string check, std::string what, std::string remedy = std::string(nothing_to_do)) {
    result_.findings.push_back({grade, std::move(check), std::move(what), std::move(remedy)});
  }

  [[nodiscard]] http::RelayOptions relay_of(const http::BaseUrl& url) const {
    http::RelayOptions relay = options_.relay;
    relay.device = url;
    if (trusts_all_) relay.tls = {.insecure = true, .ca_file = {}, .pin_sha256 = {}};
    return relay;
  }

  [[nodiscard]] static http::Request info_of_all(const http::BaseUrl& url, const std::string& label) {
    http::Request request{
        "GET", url.path + "/webapi/query.cgi?api=" + label + ".API.Info&version=1&method=query", 1, {}, {}};
    request.headers.add("Accept", "application/json");
    return request;
  }

  /// Sends API.Info with both labels. Uses the first one whose response names an API.Auth.
  bool ask_info(const http::BaseUrl& url) {
    for (const char* const label : {"SYNO", "SVC"}) {
      reply_ = ask(relay_of(url), info_of_all(url, label));
      if (!reply_.is_whole()) return false;
      way_ = login_info(reply_.answer.body, label);
      if (way_) return true;
      if (!api::verdict(reply_.answer.body)) return false;
    }
    return false;
  }

  /// Tapedeck does not use the proxy settings, but a client under test may.
  void look_at_environment() {
    const auto value = [this](const char* lower, const char* upper) {
      const auto found = options_.environment(lower);
      return found && !found->empty() ? found : options_.environment(upper);
    };
    std::string named;
    for (const auto& [lower, upper] : {std::pair("http_proxy", "HTTP_PROXY"), std::pair("https_proxy", "HTTPS_PROXY"),
                                       std::pair("all_proxy", "ALL_PROXY")}) {
      if (const auto found = value(lower, upper); found && !found->empty()) {
        named.append(named.empty() ? "" : ", ").append(upper);
      }
    }
    const std::string no_proxy = value("no_proxy", "NO_PROXY").value_or("");
    if (named.empty() || is_without_proxy(no_proxy, "127.0.0.1")) {
      return add(Grade::good, "proxy", "no proxy is set in the environment");
    }
    add(Grade::note, "proxy",
        "the environment sets a proxy for clients (" + named + "); Tapedeck itself does not use it",
        "start clients with NO_PROXY=127.0.0.1,localhost; otherwise they bypass the recorder");
  }

  bool reach() {
    const Contact found = contact(options_.relay, true);
    if (found.kind == Contact::Kind::unreachable) return unreachable(found.why);
    if (found.kind == Contact::Kind::other_scheme) {
      const http::BaseUrl other = with_other_scheme(device_);
      add(Grade::bad, "scheme", found.why, "use " + text_of(other) + " instead, or " + usual_port(device_));
      device_ = other;
      return false;
    }
    add(Grade::good, "reach", device_.origin() + " accepts connections");
    trusts_all_ = found.kind == Contact::Kind::untrusted;  // no secrets are sent
    if (found.certificate) look_at_certificate(*found.certificate);
    return ask_info(device_) || reply_.is_whole() || unreachable(reply_.why);
  }

  bool unreachable(const std::string& why) {
    add(Grade::bad, "reach", device_.origin() + " cannot be reached: " + why,
        "check the host and port, that the device is on, and that no firewall blocks the connection");
    return false;
  }

  void look_at_certificate(const http::SeenCertificate& seen) {
    add(Grade::good, "certificate",
        "for " + joined(seen.names) + " (" + seen.subject + "), from " + day(seen.not_before) + " to " +
            day(seen.not_after) + ", SHA-256 " + seen.fingerprint,
        "compare the fingerprint with the one in the settings of the device");
    look_at_dates(seen);
    const bool is_pinned = options_.relay.tls.pin_sha256.has_value();
    if (!seen.names_host && !is_pinned) {
      add(Grade::note, "certificate", "the certificate is not valid for " + device_.host,
          "use one of its names in the URL, or add --pin-sha256 " + seen.fingerprint);
    }
    if (!seen.fault) return;
    result_.pin = seen.fingerprint;
    add(Grade::bad, "certificate", *seen.fault, "if this is your device, add --pin-sha256 " + seen.fingerprint);
  }

  void look_at_dates(const http::SeenCertificate& seen) {
    constexpr std::int64_t soon = 14 * 24 * 3600;
    const std::string renew = "renew it on the device; until then, add --pin-sha256 " + seen.fingerprint;
    if (options_.now > seen.not_after) {
      add(Grade::note, "certificate", "it expired on " + day(seen.not_after), renew);
    } else if (options_.now < seen.not_before) {
      add(Grade::note, "certificate", "it is only valid from " + day(seen.not_before) + " on only",
          "check the clocks of the device and this computer; " + renew);
    } else if (options_.now + soon > seen.not_after) {
      add(Grade::note, "certificate", "it expires on " + day(seen.not_after), "renew it on the device soon");
    }
  }

  bool find_interface() {
    if (way_) return true;
    if (!reply_.is_whole()) return false;
    if (is_redirect(reply_.answer)) {
      tell_redirect();
      return false;
    }
    const std::string said = "status " + std::to_string(reply_.answer.status);
    if (try_base_paths()) return false;
    add(Grade::bad, "interface",
        "no device found: " + text_of(device_) + "/webapi/query.cgi returns " + said +
            ", and no API.Info was found under common paths",
        "use the URL at which you open the device in a browser");
    return false;
  }

  void tell_redirect() {
    const std::string location(*reply_.answer.headers.first("Location"));
    const auto same_host = device_url(location, device_);
    std::string to = same_host ? same_host->origin : location;
    if (same_host && !same_host->is_same) to += device_.path;
    add(Grade::bad, "redirect", "the device redirects clients to " + location,
        same_host && same_host->is_same ? "use the URL that it leads to, up to the base path"
                                        : "use " + to + " instead");
  }

  /// Tries to find a base path that was not given, or that was given with too many segments.
  bool try_base_paths() {
    std::vector<std::string> candidates = paths_above(device_.path);
    for (const char* const usual : {"/dsm", "/nas", "/diskstation"}) candidates.emplace_back(usual);
    const DeviceReply before = reply_;
    for (const std::string& path : candidates) {
      http::BaseUrl url = device_;
      url.path = path;
      if (!ask_info(url)) continue;
      add(Grade::bad, "base path", "the interface is not at " + text_of(device_) + " but at " + text_of(url),
          "use " + text_of(url) + " instead");
      device_ = url;
      return true;
    }
    reply_ = before;
    return false;
  }

  void look_at_clock() {
    constexpr std::int64_t most = 90;
    const auto date = http_date(reply_.answer.headers.first("Date").value_or(""));
    if (!date) return;
    const std::int64_t off = std::abs(*date - options_.now);
    if (off <= most) return add(Grade::good, "clock", "the device's clock agrees with this computer's");
    add(Grade::note, "clock", "the device's clock is off by " + std::to_string(off) + " seconds",
        "correct it (NTP); otherwise one-time codes and certificates may be refused");
  }

  void look_at_interface() {
    const auto data = api::json_member(reply_.answer.body, "data");
    const auto apis = data ? api::json_members(*data) : std::nullopt;
    const std::string base = device_.path.empty() ? "no base path" : "base path " + device_.path;
    add(Grade::good, "interface",
        std::to_string(apis ? apis->size() : 0) + " APIs under the label " + way_->label + ", " + base);
    constexpr unsigned newer = 7, with_tokens = 3, with_device_tokens = 6;
    const std::string login = "login with version " + std::to_string(way_->version) + " of API.Auth at " + way_->path;
    if (way_->version >= newer) {
      add(Grade::good, "firmware", "newer generation: " + login);
      return look_at_handshake(*data);
    }
    std::string lacks = way_->version < with_tokens ? ", no CSRF tokens" : "";
    if (way_->version < with_device_tokens) lacks += ", no device tokens, so each login needs a one-time code";
    add(Grade::note, "firmware", "older generation: " + login + lacks, "record as usual");
  }

  /// Which accounts and addresses get a limited session is a setting of the device that only a login would show.
  void look_at_handshake(std::string_view apis) {
    if (!api::json_member(apis, way_->label + ".API.Auth.UIConfig")) return;
    add(Grade::note, "login",
        "the device's own web page logs in with a handshake (API.Auth.UIConfig, ik_message); an account that logs in "
        "without it may get a limited session, in which settings and system information (APIs with Core in their "
        "name) return error 105, although the same account may read them in a browser",
        "if a call unexpectedly returns 105, record with the device's web page in a browser, or with a client that "
        "makes the handshake; Tapedeck passes it through unchanged");
  }

  const ExaminationOptions& options_;
  http::BaseUrl device_;
  DeviceReply reply_;  ///< to the last API.Info request
  std::optional<LoginInfo> way_;
  bool trusts_all_ = false;
  Examination result_;
};

}  // namespace

http::BaseUrl with_other_scheme(http::BaseUrl device) {
  device.tls = !device.tls;
  return device;
}

std::string usual_port(const http::BaseUrl& device) {
  return device.tls ? "the https port (often 5001)" : "the http port (often 5000)";
}

Contact contact(const http::RelayOptions& relay, bool tries_tls) {
  using Kind = Contact::Kind;
  const http::BaseUrl& device = relay.device;
  const auto patience = relay.limits.connect_time;
  if (!device.tls) {
    const bool is_local = http::Endpoint{device.host, device.port}.is_loopback();
    if (!tries_tls && is_local && device.port != 443 && device.port != 5001) {
      const auto why = http::why_not_connected(device, patience);
      return why ? Contact{Kind::unreachable, *why, {}} : Contact{};
    }
    const http::ClientTls any{.insecure = true, .ca_file = {}, .pin_sha256 = {}};
    const http::TlsLook look = http::look_at_tls(device, any, patience, shortest_look);
    if (!look.is_connected) return {Kind::unreachable, look.failure.value_or(""), {}};
    if (look.certificate) return {Kind::other_scheme, "the port speaks https, not http", {}};
    return {};
  }
  http::TlsLook look = http::look_at_tls(device, relay.tls, patience, patience);
  if (!look.is_connected) return {Kind::unreachable, look.failure.value_or(""), {}};
  if (!look.certificate)
    return {Kind::other_scheme, "the port does not speak https (" + look.failure.value_or("") + ")", {}};
  const Kind kind = look.certificate->fault ? Kind::untrusted : Kind::good;
  return {kind, {}, std::move(look.certificate)};
}

std::string_view to_string(Grade grade) {
  constexpr std::array<std::string_view, 3> words = {"good", "note", "bad"};
  return words.at(static_cast<std::size_t>(grade));
}

bool Examination::would_work() const {
  return std::none_of(findings.begin(), findings.end(), [](const Finding& one) { return one.grade == Grade::bad; });
}

Examination examine(const ExaminationOptions& options) { return Examiner(options).run(); }

bool is_without_proxy(std::string_view no_proxy, std::string_view host) {
  while (!no_proxy.empty()) {
    std::string_view one = base::trim(base::take_until(no_proxy, ','));
    if (one == "*") return true;
    if (one.starts_with('.')) one.remove_prefix(1);
    if (one.empty() || host.size() < one.size()) continue;
    const bool ends_so = base::equal_no_case(host.substr(host.size() - one.size()), one);
    if (ends_so && (host.size() == one.size() || host[host.size() - one.size() - 1] == '.')) return true;
  }
  return false;
}

std::optional<std::int64_t> http_date(std::string_view text) {
  std::tm parts{};
  const std::string terminated(text);
  const char* const end = strptime(terminated.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return static_cast<std::int64_t>(timegm(&parts));
}

}  // namespace tapedeck::proxy
