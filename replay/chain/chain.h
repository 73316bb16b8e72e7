#pragma once
// The chain of responders (design §1): who is asked, in which order, and what becomes of an answer on its way back.

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "http/server/exchange.h"
#include "replay/chain/reply.h"
#include "replay/chain/request_context.h"

namespace tapedeck::replay {

/// What a loop thread keeps for itself: its cassettes, its memo and its counters.
struct ThreadState;

/// A place in the chain, in the chain's order.
enum class Stage {
  session,   ///< whose request it is; refuses calls of sessions that are over
  written,   ///< sees which writes succeed (replay/effects)
  overlay,   ///< hand-written answers, and changes of answers from further down
  changed,   ///< changes that earlier writes make
  device,    ///< what goes to the chain's end, whatever is recorded of it
  login,     ///< logins and logouts
  player,    ///< recordings
  info,      ///< API.Info
  compound,  ///< a compound, part by part
  effect,    ///< replies to writes that have an effect
  fallback,  ///< the three specified operations
  miss,      ///< says that nothing could answer: always answers
};

/// What a stage makes of a request.
struct StageResult {
  enum class Kind {
    passed_on,  ///< the next link is asked
    replied,    ///< `reply` is there
    to_end,     ///< no link further down is asked: the chain's end answers
  };
  Kind kind = Kind::passed_on;
  std::optional<Reply> reply;
};
[[nodiscard]] inline StageResult pass_on() { return {}; }
[[nodiscard]] inline StageResult go_to_end() { return {StageResult::Kind::to_end, std::nullopt}; }
/// Without a reply the request is passed on.
[[nodiscard]] inline StageResult reply_with(std::optional<Reply> reply) {
  return {reply ? StageResult::Kind::replied : StageResult::Kind::passed_on, std::move(reply)};
}

/// One link. Called from all loop threads at once.
class Responder {
 public:
  virtual ~Responder() = default;
  [[nodiscard]] virtual StageResult answer(RequestContext& context, ThreadState& thread) = 0;
  /// A reply of a link further down, or of the chain's end, on its way back. Comes after answer() has passed the
  /// context on, the lowest link first; for an end that answers late, after answer() has returned.
  virtual void change(RequestContext& /*context*/, ThreadState& /*thread*/, Reply& /*reply*/) {}
};

/// Sees every reply of a link, those to the parts of a compound too: the one place where replies are counted.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void observe(RequestContext& context, const Reply& reply, ThreadState& thread) = 0;
};

/// Answers what all links of a chain have passed on: at once or later, whole or as a stream.
class End {
 public:
  virtual ~End() = default;
  /// `context` is good until this returns.
  virtual void handle(std::shared_ptr<http::Exchange> exchange, const RequestContext& context) = 0;
};

/// Immutable. What it points to must outlive it.
class Chain {
 public:
  struct Link {
    Stage stage;
    Responder* responder;
  };

  /// Links in the order of their stages; a stage may have several links, or none. `end` answers what all links pass on;
  /// without one the last link must always answer. What the end answers it counts itself: it alone knows what became of
  /// it.
  Chain(std::vector<Link> links, Observer* observer, End* end = nullptr);

  /// The chain that answers the parts of a compound: no session check, login or compound in it, and no end.
  [[nodiscard]] Chain for_parts() const;

  /// Answers the exchange: through a link before it returns, or through the end, which may do it later on this thread.
  void handle(std::shared_ptr<http::Exchange> exchange, RequestContext&& context, ThreadState& thread) const;
  /// What the links answer, changed by those above and observed; nothing when all pass on.
  [[nodiscard]] std::optional<Reply> answer(RequestContext& context, ThreadState& thread) const;
  /// The same of a part that overlays were asked of already.
  [[nodiscard]] std::optional<Reply> answer(AskedPart& part, ThreadState& thread) const;

 private:
  class ChangedExchange;
  [[nodiscard]] std::optional<Reply> answer_from(std::size_t first, RequestContext& context, ThreadState& thread) const;
  /// A reply of the link at `answered`: those before it change it, and it is observed.
  void finish(std::size_t answered, RequestContext& context, ThreadState& thread, Reply& reply) const;
  /// Lets the links before the one at `answered` change its reply.
  void change(std::size_t answered, RequestContext& context, ThreadState& thread, Reply& reply) const;

  std::vector<Link> links_;
  Observer* observer_;
  End* end_;
};

}  // namespace tapedeck::replay
