#include "replay/chain.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "http/server/forwarded_exchange.h"
#include "replay/delivery.h"
#include "scrubbers/text/decode.h"

namespace tapedeck::replay {
namespace {

/// For those who change its body; what cannot be unpacked stays as it is.
void unpack(http::Response& response) {
  constexpr std::size_t most_unpacked = 256u << 20;
  if (!response.headers.contains("Content-Encoding")) return;
  scrubbers::DecodedBody decoded = scrubbers::decode_body(response.headers, response.body, most_unpacked);
  if (!decoded.ok) return;
  response.body = std::move(decoded.body);
  response.headers.erase("Content-Encoding");
}

bool answers_parts(Stage stage) { return stage != Stage::session && stage != Stage::login && stage != Stage::compound; }

}  // namespace

/// What the chain's end is handed: its whole answers go back through the links, its streams go out as they are.
class Chain::ChangedExchange : public http::ForwardedExchange {
 public:
  ChangedExchange(std::shared_ptr<http::Exchange> exchange, Visit visit, ThreadState& thread, const Chain& chain)
      : ForwardedExchange(std::move(exchange)), visit_(std::move(visit)), thread_(thread), chain_(chain) {
    visit_.keep();
  }

  [[nodiscard]] const Visit& visit() const { return visit_; }
  /// A copy: the visit goes on looking at the request.
  [[nodiscard]] http::Request take_request() override { return request(); }
  void respond(http::Response response) override {
    Reply reply;
    reply.outcome = Outcome::recorded;
    reply.response = std::move(response);
    if (is_read_here()) unpack(reply.response);
    pass_back(std::move(reply));
  }
  void respond(const http::PreparedReply& prepared) override {
    Reply reply;
    reply.outcome = Outcome::recorded;
    reply.prepared = prepared;
    pass_back(std::move(reply));
  }
  void respond(http::Response head, http::SharedBytes body) override {
    if (is_read_here()) {
      head.body = body.bytes;
      return respond(std::move(head));
    }
    Reply reply;
    reply.outcome = Outcome::recorded;
    reply.response = std::move(head);
    reply.shared_body = std::make_unique<SharedBody>(SharedBody{{body.bytes}, std::move(body.owner)});
    pass_back(std::move(reply));
  }

 private:
  /// Overlays change its body, or the ids that it gives belong to the scope.
  [[nodiscard]] bool is_read_here() const {
    const bool gives_ids = visit_.scope_is_recorded && visit_.asked().kind() == CallKind::login;
    return visit_.overlays || visit_.parts || gives_ids;
  }
  void pass_back(Reply reply) {
    chain_.change(chain_.links_.size(), visit_, thread_, reply);
    deliver(inner_, std::move(reply));
  }

  Visit visit_;
  ThreadState& thread_;
  const Chain& chain_;
};

Chain::Chain(std::vector<Link> links, Witness* witness, End* end)
    : links_(std::move(links)), witness_(witness), end_(end) {
  if (!std::is_sorted(links_.begin(), links_.end(), [](const Link& a, const Link& b) { return a.stage < b.stage; })) {
    throw std::logic_error("the links of a chain must be in the order of their stages");
  }
}

Chain Chain::for_parts() const {
  std::vector<Link> links;
  std::copy_if(links_.begin(), links_.end(), std::back_inserter(links),
               [](const Link& link) { return answers_parts(link.stage); });
  return Chain(std::move(links), witness_);
}

void Chain::handle(std::shared_ptr<http::Exchange> exchange, Visit&& visit, ThreadState& thread) const {
  if (auto reply = answer(visit, thread)) {
    deliver(std::move(exchange), std::move(*reply));
  } else if (end_ != nullptr) {
    const auto changed = std::make_shared<ChangedExchange>(std::move(exchange), std::move(visit), thread, *this);
    end_->handle(changed, changed->visit());
  } else {
    throw std::logic_error("a chain without an end has passed a request on");
  }
}

std::optional<Reply> Chain::answer(Visit& visit, ThreadState& thread) const {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    auto reply = links_[i].responder->answer(visit, thread);
    if (!reply && visit.goes_to_end) return std::nullopt;
    if (!reply) continue;
    change(i, visit, thread, *reply);
    if (witness_ != nullptr) witness_->saw(visit, *reply, thread);
    return reply;
  }
  return std::nullopt;
}

std::optional<Reply> Chain::ask(Stage stage, Visit& visit, ThreadState& thread) const {
  for (const Link& link : links_) {
    if (link.stage != stage) continue;
    if (auto reply = link.responder->answer(visit, thread)) return reply;
  }
  return std::nullopt;
}

void Chain::change(std::size_t answered, Visit& visit, ThreadState& thread, Reply& reply) const {
  for (std::size_t i = answered; i-- > 0;) links_[i].responder->change(visit, thread, reply);
}

}  // namespace tapedeck::replay
