#pragma once
// Calls the stages that handle a request in their order, and changes a reply on its way back (docs/architecture.md).

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "http/server/exchange.h"
#include "replay/chain/reply.h"
#include "replay/chain/request_context.h"

namespace tapedeck::replay {

/// The data of a loop thread: its cassettes, its memo, and its counters.
struct ThreadState;

/// A place in the chain, in the chain's order.
enum class Stage {
  session,   ///< finds the session; refuses calls of ended sessions
  written,   ///< notes which writes succeed (replay/effects)
  overlay,   ///< applies overlays, and their changes to replies from below
  changed,   ///< applies the changes of earlier writes
  device,    ///< sends some requests to the chain's end even if they are recorded
  login,     ///< responds to logins and logouts
  player,    ///< replays recordings
  info,      ///< responds to API.Info
  compound,  ///< responds to compound requests part by part
  effect,    ///< responds to writes that have an effect
  fallback,  ///< responds to the three specified operations
  miss,      ///< responds to everything else with a miss
};

/// The result of a stage.
struct StageResult {
  enum class Kind {
    passed_on,  ///< the next link continues
    replied,    ///< there is a `reply`
    to_end,     ///< skips the links below, so that the chain's end responds
  };
  Kind kind = Kind::passed_on;
  std::optional<Reply> reply;
};
[[nodiscard]] inline StageResult pass_on() { return {}; }
[[nodiscard]] inline StageResult go_to_end() { return {StageResult::Kind::to_end, std::nullopt}; }
/// Returns a result with the reply, or one that passes the request on if there is none.
[[nodiscard]] inline StageResult reply_with(std::optional<Reply> reply) {
  return {reply ? StageResult::Kind::replied : StageResult::Kind::passed_on, std::move(reply)};
}

/// One link. Its functions are called from all loop threads in parallel.
struct Link {
  Stage stage;
  /// If it is empty, requests are passed on.
  std::function<StageResult(RequestContext&, ThreadState&)> answer;
  /// Changes a reply of a link below, or of the chain's end. Called after `answer` has passed the request on, for the
  /// lowest link first. For an end that responds later, called after the chain's handle() has returned.
  std::function<void(RequestContext&, ThreadState&, Reply&)> change = {};
};

/// Responds to requests that all links have passed on, either immediately or later, and either as a whole or as a
/// stream.
class End {
 public:
  virtual ~End() = default;
  /// `context` is valid until handle() returns.
  virtual void handle(std::shared_ptr<http::Exchange> exchange, const RequestContext& context) = 0;
};

/// Immutable. `end` must outlive it.
class Chain {
 public:
  /// Receives every reply, including those to parts of compounds. Replies are counted only here.
  using Observe = std::function<void(RequestContext& context, const Reply& reply, ThreadState& thread)>;

  /// `links` are in the order of their stages; a stage may have several links, or none. `end` responds to requests that
  /// all links pass on. Without it, the last link must always reply. The end counts its own responses.
  explicit Chain(std::vector<Link> links, Observe observe = {}, End* end = nullptr);

  /// Returns the chain for parts of a compound: without session check, login, compound, and end.
  [[nodiscard]] Chain for_parts() const;

  /// Responds to the exchange: through a link before it returns, or through the end, possibly later on this thread.
  void handle(std::shared_ptr<http::Exchange> exchange, RequestContext&& context, ThreadState& thread) const;
  /// Returns the reply of the links, changed by the links above and observed, or nothing if all links pass the request
  /// on.
  [[nodiscard]] std::optional<Reply> answer(RequestContext& context, ThreadState& thread) const;
  /// Returns the reply to a part of a compound that overlays have already processed, or nothing if all links pass on.
  [[nodiscard]] std::optional<Reply> answer(PartRequest& part, ThreadState& thread) const;

 private:
  class ChangedExchange;
  [[nodiscard]] std::optional<Reply> answer_from(std::size_t first, RequestContext& context, ThreadState& thread) const;
  /// Finishes a reply of the link at `answered`: the links before it change it, and it is observed.
  void finish(std::size_t answered, RequestContext& context, ThreadState& thread, Reply& reply) const;
  /// Lets the links before the one at `answered` change its reply.
  void change(std::size_t answered, RequestContext& context, ThreadState& thread, Reply& reply) const;

  std::vector<Link> links_;
  Observe observe_;
  End* end_;
};

}  // namespace tapedeck::replay
