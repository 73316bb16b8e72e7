#pragma once
// The chain's stage of hand-written answers (toolkit §2): what overlays answer, and what they change of answers from
// further down.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "replay/builtins/miss_responder.h"
#include "replay/chain.h"
#include "replay/overlays/overlay_store.h"
#include "replay/overlays/overlay_turn.h"

namespace tapedeck::replay {

struct OverlayRun {
  std::uint64_t seed = 1;
  std::chrono::microseconds hang_time{std::chrono::minutes(5)};
  std::size_t longest_body = 64u << 20;  ///< of a response that overlays make, the parts of a compound together
  /// The chain has an end that compounds go to as a whole: overlays are asked of their parts before, and what they
  /// answer is put into the whole answer.
  bool has_end = false;
  const scrubbers::PrivateProfile* private_values = nullptr;  ///< as in OverlaySubject
};

/// Thread-safe, as the store is. A request sees the overlays that were in force when it came, and so do its parts.
class OverlayResponder : public Responder {
 public:
  using Missed = std::function<void(const Visit&, const MissReport&)>;
  using Warn = std::function<void(const std::string& line)>;
  /// `missed` is told of each patch that cannot be applied; `warn` once of each overlay whose answer to a specified
  /// operation is not what the specification says.
  OverlayResponder(OverlayStore& store, OverlayRun run, Missed missed, Warn warn)
      : store_(store), run_(run), missed_(std::move(missed)), warn_(std::move(warn)) {}
  [[nodiscard]] std::optional<Reply> answer(Visit& visit, ThreadState& thread) override;
  void change(Visit& visit, ThreadState& thread, Reply& reply) override;

 private:
  /// What became of a patch.
  enum class Change { made, passed_over, failed };

  [[nodiscard]] std::optional<Reply> answer_whole(Visit& visit, ThreadState& thread, std::size_t longest_body);
  void ask_parts(Visit& visit, ThreadState& thread);
  void put_parts_in(Visit& visit, ThreadState& thread, Reply& reply);
  /// Null when no overlay has anything to do with the request.
  [[nodiscard]] std::shared_ptr<OverlayTurn> turn_of(Visit& visit, ThreadState& thread) const;
  [[nodiscard]] OverlaySubject subject_of(const Resolution& asked) const;
  [[nodiscard]] OverlaySubject subject_of_part(const api::Call* part) const;
  [[nodiscard]] Reply played(const Visit& visit, const OverlayTurn& turn) const;
  void adjust(const Visit& visit, const ThreadState& thread, const OverlayTurn& turn, Reply& reply);
  [[nodiscard]] Change change_body(const Visit& visit, const OverlayTurn& turn, const OverlayPlay& play, Reply& reply);
  [[nodiscard]] Reply missed(const Visit& visit, const Overlay& overlay, const api::PatchError& error) const;
  void set_fault(const Overlay& overlay, Reply& reply) const;
  void note(const OverlayTurn& turn, const Reply& reply);
  void compare_with_spec(const Visit& visit, const OverlayTurn& turn, const Reply& reply) const;

  OverlayStore& store_;
  const OverlayRun run_;
  const Missed missed_;
  const Warn warn_;
};

/// --delay: what no overlay has delayed waits so long. Stands before all other links.
class DelayEverything : public Responder {
 public:
  DelayEverything(Delay delay, OverlayCounts& counts, std::uint64_t seed)
      : delay_(delay), counts_(counts), seed_(seed) {}
  [[nodiscard]] std::optional<Reply> answer(Visit&, ThreadState&) override { return std::nullopt; }
  void change(Visit& visit, ThreadState& thread, Reply& reply) override;

 private:
  const Delay delay_;
  OverlayCounts& counts_;
  const std::uint64_t seed_;
};

}  // namespace tapedeck::replay
