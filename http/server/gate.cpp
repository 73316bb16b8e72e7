#include "http/server/gate.h"

#include <algorithm>
#include <utility>

namespace tapedeck::http {
namespace {

/// The host of an authority without its port and brackets.
std::string_view host_of(std::string_view authority) {
  if (authority.starts_with('[')) return authority.substr(1, authority.find(']') - 1);
  return authority.substr(0, authority.find(':'));
}

std::string_view after_scheme(std::string_view origin) {
  const std::size_t mark = origin.find("://");
  return mark == std::string_view::npos ? std::string_view() : origin.substr(mark + 3);
}

bool is_loopback_host(std::string_view host) {
  return equal_no_case(host, "localhost") || host.ends_with(".localhost") ||
         Endpoint{std::string(host), 0}.is_loopback();
}

Response refusal(std::string_view why) {
  Response answer;
  answer.status = 403;
  answer.reason = "Forbidden";
  answer.headers.add("Content-Type", "text/plain; charset=utf-8");
  answer.body = std::string(why) + "\n";
  return answer;
}

Headers cors_lines(std::string_view origin) {
  return {{"Access-Control-Allow-Origin", std::string(origin)},
          {"Access-Control-Allow-Credentials", "true"},
          {"Vary", "Origin"}};
}

Response preflight_answer(const Request& request, std::string_view origin) {
  Response answer;
  answer.status = 204;
  answer.reason = "No Content";
  answer.headers = cors_lines(origin);
  answer.headers.add("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS");
  if (const auto asked = request.headers.first("Access-Control-Request-Headers")) {
    answer.headers.add("Access-Control-Allow-Headers", *asked);
  }
  answer.headers.add("Access-Control-Max-Age", "600");
  return answer;
}

using KeptHead = std::pair<std::string, std::shared_ptr<const void>>;

/// Hands everything on and puts the CORS lines into the answer's head.
class CorsExchange : public Exchange {
 public:
  CorsExchange(std::shared_ptr<Exchange> inner, std::string origin)
      : inner_(std::move(inner)), lines_(cors_lines(origin)) {
    lines_.add("Access-Control-Expose-Headers", "X-Tapedeck-Outcome, X-Tapedeck-Match, X-Tapedeck-Miss");
  }

  const Request& request() const override { return inner_->request(); }
  Request take_request() override { return inner_->take_request(); }
  std::string_view peer() const override { return inner_->peer(); }
  void respond(Response response) override { inner_->respond(with_lines(std::move(response))); }
  void respond(const PreparedReply& reply) override {
    // The listener sends after this call has returned: the new head lives as long as the pieces do.
    const auto kept = std::make_shared<const KeptHead>(std::string(reply.head) + lines_.to_text(), reply.owner);
    inner_->respond(PreparedReply{kept->first, reply.pieces, kept});
  }
  void respond(Response head, SharedBytes body) override {
    inner_->respond(with_lines(std::move(head)), std::move(body));
  }
  void start(Response head) override { inner_->start(with_lines(std::move(head))); }
  void write(std::string bytes) override { inner_->write(std::move(bytes)); }
  void write(SharedBytes bytes) override { inner_->write(std::move(bytes)); }
  void finish() override { inner_->finish(); }
  std::size_t unsent() const override { return inner_->unsent(); }
  void on_drained(std::function<void()> callback) override { inner_->on_drained(std::move(callback)); }
  void abort() override { inner_->abort(); }
  bool gone() const override { return inner_->gone(); }
  bool input_ended() const override { return inner_->input_ended(); }
  bool body_is_open() const override { return inner_->body_is_open(); }
  void read_body(std::function<void(std::string, bool)> took) override { inner_->read_body(std::move(took)); }
  void post(std::function<void()> task) override { inner_->post(std::move(task)); }

 private:
  Response with_lines(Response response) const {
    for (const char* name : {"Access-Control-Allow-Origin", "Access-Control-Allow-Credentials"}) {
      response.headers.erase(name);
    }
    for (const Header& line : lines_) response.headers.add(line.name, line.value);
    return response;
  }

  std::shared_ptr<Exchange> inner_;
  Headers lines_;
};

}  // namespace

Gate::Gate(GateOptions options, Handler& next) : options_(std::move(options)), next_(next) {}

bool Gate::host_passes(std::string_view authority) const {
  const std::string_view host = host_of(authority);
  if (is_loopback_host(host) || equal_no_case(host, options_.listen.host)) return true;
  return std::any_of(options_.allow_hosts.begin(), options_.allow_hosts.end(),
                     [&](const std::string& allowed) { return allowed == "*" || equal_no_case(host, allowed); });
}

bool Gate::in_cors(std::string_view origin) const {
  return std::any_of(options_.cors.begin(), options_.cors.end(),
                     [&](const std::string& allowed) { return allowed == "*" || equal_no_case(origin, allowed); });
}

std::string_view Gate::why_not(const Request& request) const {
  const std::string_view host = request.headers.first("Host").value_or("");
  if (!host.empty() && !host_passes(host)) return "this Host is not served here; --allow-host NAME allows it";
  const auto origin = request.headers.first("Origin");
  const bool listed = origin && in_cors(*origin);
  if (origin && !listed && !equal_no_case(after_scheme(*origin), host)) {
    return "requests from this Origin are not allowed; --cors ORIGIN allows them";
  }
  if (!listed && equal_no_case(request.headers.first("Sec-Fetch-Site").value_or(""), "cross-site")) {
    return "cross-site requests are not allowed; --cors ORIGIN allows them";
  }
  return {};
}

void Gate::handle(std::shared_ptr<Exchange> exchange) {
  const Request& request = exchange->request();
  if (const std::string_view why = why_not(request); !why.empty()) return exchange->respond(refusal(why));
  const auto origin = request.headers.first("Origin");
  if (!origin || !in_cors(*origin)) return next_.handle(std::move(exchange));
  if (request.method == "OPTIONS" && request.headers.contains("Access-Control-Request-Method")) {
    return exchange->respond(preflight_answer(request, *origin));
  }
  std::string allowed(*origin);
  next_.handle(std::make_shared<CorsExchange>(std::move(exchange), std::move(allowed)));
}

}  // namespace tapedeck::http
