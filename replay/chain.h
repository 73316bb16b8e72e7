#pragma once
// The chain of responders (design §1): who is asked, in which order, and what becomes of an answer on its way back.

#include <memory>
#include <optional>
#include <vector>

#include "http/server/exchange.h"
#include "replay/reply.h"
#include "replay/visit.h"

namespace tapedeck::replay {

/// What a loop thread keeps for itself: its decks, its memo and its counters.
struct ThreadState;

/// A place in the chain, in the chain's order.
enum class Stage {
  session,   ///< whose request it is; refuses calls of sessions that are over
  written,   ///< sees which writes succeed (replay/effects)
  overlay,   ///< hand-written answers, and changes of answers from further down
  changed,   ///< changes that earlier writes make
  login,     ///< logins and logouts
  player,    ///< recordings
  info,      ///< API.Info
  compound,  ///< a compound, part by part
  effect,    ///< replies to writes that have an effect
  fallback,  ///< the three specified operations
  miss,      ///< says that nothing could answer: always answers
};

/// One link: answers, or passes on. Called from all loop threads at once.
class Responder {
 public:
  virtual ~Responder() = default;
  [[nodiscard]] virtual std::optional<Reply> answer(Visit& visit, ThreadState& thread) = 0;
  /// A reply of a link further down, or of the chain's end, on its way back. Comes after answer() has passed the visit
  /// on, the lowest link first; for an end that answers late, after answer() has returned.
  virtual void change(Visit& /*visit*/, ThreadState& /*thread*/, Reply& /*reply*/) {}
};

/// Is told of every reply of a link, those to the parts of a compound too: the one place where answers are counted.
class Witness {
 public:
  virtual ~Witness() = default;
  virtual void saw(Visit& visit, const Reply& reply, ThreadState& thread) = 0;
};

/// Answers what all links of a chain have passed on: at once or later, whole or as a stream.
class End {
 public:
  virtual ~End() = default;
  /// `visit` is good until this returns.
  virtual void handle(std::shared_ptr<http::Exchange> exchange, const Visit& visit) = 0;
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
  Chain(std::vector<Link> links, Witness* witness, End* end = nullptr);

  /// The chain that answers the parts of a compound: no session check, login or compound in it, and no end.
  [[nodiscard]] Chain for_parts() const;

  /// Answers the exchange: through a link before it returns, or through the end, which may do it later on this thread.
  void handle(std::shared_ptr<http::Exchange> exchange, Visit&& visit, ThreadState& thread) const;
  /// What the links answer, changed by those above and witnessed; nothing when all pass on.
  [[nodiscard]] std::optional<Reply> answer(Visit& visit, ThreadState& thread) const;
  /// What the links of one stage would answer, neither changed nor witnessed: for a link that builds on it.
  [[nodiscard]] std::optional<Reply> ask(Stage stage, Visit& visit, ThreadState& thread) const;

 private:
  class ChangedExchange;
  /// Lets the links before the one at `answered` change its reply.
  void change(std::size_t answered, Visit& visit, ThreadState& thread, Reply& reply) const;

  std::vector<Link> links_;
  Witness* witness_;
  End* end_;
};

}  // namespace tapedeck::replay
