#include "replay/chain/chain.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "http/server/forwarded_exchange.h"
#include "scrubbers/text/decode.h"

namespace tapedeck::replay {
namespace {

/// Decodes the body, so that links can change it. A body that cannot be decoded stays unchanged.
void unpack(http::Response& response) {
  constexpr std::size_t most_unpacked = 256u << 20;
  if (!response.headers.contains("Content-Encoding")) return;
  scrubbers::DecodedBody decoded = scrubbers::decode_body(response.headers, response.body, most_unpacked);
  if (!decoded.ok) return;
  response.body = std::move(decoded.body);
  response.headers.erase("Content-Encoding");
}

bool answers_parts(Stage stage) {
  return stage != Stage::session && stage != Stage::device && stage != Stage::login && stage != Stage::compound;
}

}  // namespace

/// The exchange that is passed to the chain's end. Complete responses go back through the links; streams are sent
/// unchanged.
class Chain::ChangedExchange : public http::ForwardedExchange {
 public:
  ChangedExchange(std::shared_ptr<http::Exchange> exchange, RequestContext context, ThreadState& thread,
                  const Chain& chain)
      : ForwardedExchange(std::move(exchange)), context_(std::move(context)), thread_(thread), chain_(chain) {
    context_.keep();
    context_.is_at_end = true;
  }

  [[nodiscard]] const RequestContext& context() const { return context_; }
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
    reply.shared_body = std::move(body);
    pass_back(std::move(reply));
  }

 private:
  /// Returns true if overlays change the body, or if session IDs in it belong to a scope.
  [[nodiscard]] bool is_read_here() const {
    const bool gives_ids = context_.scope_is_recorded && context_.parsed().kind() == CallKind::login;
    return context_.overlays || context_.parts || gives_ids;
  }
  void pass_back(Reply reply) {
    chain_.change(chain_.links_.size(), context_, thread_, reply);
    deliver(inner_, std::move(reply));
  }

  RequestContext context_;
  ThreadState& thread_;
  const Chain& chain_;
};

Chain::Chain(std::vector<Link> links, Observe observe, End* end)
    : links_(std::move(links)), observe_(std::move(observe)), end_(end) {
  if (!std::is_sorted(links_.begin(), links_.end(), [](const Link& a, const Link& b) { return a.stage < b.stage; })) {
    throw std::logic_error("the links of a chain must be in the order of their stages");
  }
}

Chain Chain::for_parts() const {
  std::vector<Link> links;
  std::copy_if(links_.begin(), links_.end(), std::back_inserter(links),
               [](const Link& link) { return answers_parts(link.stage); });
  return Chain(std::move(links), observe_);
}

void Chain::handle(std::shared_ptr<http::Exchange> exchange, RequestContext&& context, ThreadState& thread) const {
  if (auto reply = answer(context, thread)) {
    deliver(std::move(exchange), std::move(*reply));
  } else if (end_ != nullptr) {
    const auto changed = std::make_shared<ChangedExchange>(std::move(exchange), std::move(context), thread, *this);
    end_->handle(changed, changed->context());
  } else {
    throw std::logic_error("a chain without an end has passed a request on");
  }
}

std::optional<Reply> Chain::answer(RequestContext& context, ThreadState& thread) const {
  return answer_from(0, context, thread);
}

std::optional<Reply> Chain::answer(PartRequest& part, ThreadState& thread) const {
  const auto overlay =
      std::find_if(links_.begin(), links_.end(), [](const Link& link) { return link.stage == Stage::overlay; });
  const auto place = static_cast<std::size_t>(overlay - links_.begin());
  if (!part.reply) return answer_from(place + 1, part.context, thread);
  finish(place, part.context, thread, *part.reply);
  return std::move(part.reply);
}

std::optional<Reply> Chain::answer_from(std::size_t first, RequestContext& context, ThreadState& thread) const {
  for (std::size_t i = first; i < links_.size(); ++i) {
    if (!links_[i].answer) continue;
    StageResult result = links_[i].answer(context, thread);
    if (result.kind == StageResult::Kind::to_end) return std::nullopt;
    if (result.kind == StageResult::Kind::passed_on) continue;
    finish(i, context, thread, *result.reply);
    return std::move(result.reply);
  }
  return std::nullopt;
}

void Chain::finish(std::size_t answered, RequestContext& context, ThreadState& thread, Reply& reply) const {
  change(answered, context, thread, reply);
  if (observe_) observe_(context, reply, thread);
}

void Chain::change(std::size_t answered, RequestContext& context, ThreadState& thread, Reply& reply) const {
  for (std::size_t i = answered; i-- > 0;) {
    if (links_[i].change) links_[i].change(context, thread, reply);
  }
}

}  // namespace tapedeck::replay
