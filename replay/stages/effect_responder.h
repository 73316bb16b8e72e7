#pragma once
// Implements effects in the chain: stages that observe writes, change responses, and reply to writes that were not
// recorded.

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "journal/journal_key.h"
#include "replay/chain/chain.h"
#include "replay/overlays/overlay_store.h"
#include "replay/stages/device_knowledge.h"
#include "scrubbers/private/private_profile.h"

namespace tapedeck::replay {

/// Thread-safe, like the store. The arguments of the constructor must outlive it. A body stays unchanged if a change
/// would make it longer than `longest_body`.
class Effects {
 public:
  /// Called once for each distinct warning.
  using Warn = std::function<void(const std::string& line)>;
  Effects(OverlayStore& store, DeviceKnowledge& knowledge, const journal::JournalKeys& keys,
          const scrubbers::PrivateProfile* private_values, std::size_t longest_body, Warn warn)
      : store_(store),
        knowledge_(knowledge),
        keys_(keys),
        private_values_(private_values),
        longest_body_(longest_body),
        warn_(std::move(warn)) {}

  /// Finds the effects that concern the request and stores them in the context.
  void look(RequestContext& context, ThreadState& thread) const;
  /// Stores the changes of a call if its response, after overlays, is a success.
  void follow(RequestContext& context, const Reply& reply);
  /// Applies the changes of earlier writes to the reply.
  void change(RequestContext& context, Reply& reply);
  /// Returns the reply to a call that has an effect and to which no earlier stage responded.
  [[nodiscard]] std::optional<Reply> reply(RequestContext& context, ThreadState& thread);

 private:
  [[nodiscard]] std::vector<EffectPtr> following(const RequestContext& context, const EffectSet& set,
                                                 const api::Call& call) const;
  void look_at_parts(RequestContext& context, const EffectSet& set, RequestEffects& turn) const;
  [[nodiscard]] WriteValuesPtr values_of(const RequestContext& context, const api::Call& call, const Effect& effect,
                                         const std::string& owner) const;
  void fill_values(RequestContext& context, RequestEffects& turn) const;
  void add(RequestContext& context, const api::Call& call, const std::vector<EffectPtr>& following,
           const std::vector<WriteValuesPtr>& values, const Reply& reply);
  void warn(const std::string& line);

  OverlayStore& store_;
  DeviceKnowledge& knowledge_;
  const journal::JournalKeys& keys_;
  const scrubbers::PrivateProfile* private_values_;
  const std::size_t longest_body_;
  const Warn warn_;
  std::mutex mutex_;
  std::set<std::string> warned_;  ///< guarded by mutex_
};

}  // namespace tapedeck::replay
