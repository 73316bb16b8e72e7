#pragma once
// What one client did in a session: login, calls whose answers carry its id, logout. All made up.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/interaction.h"
#include "bench/load.h"
#include "bench/steps.h"

namespace tapedeck::bench {

class SessionLoad {
 public:
  [[nodiscard]] static std::string login_target(std::string_view account);
  [[nodiscard]] static std::string logout_target(std::string_view id);

  /// The call with the session's id in its query.
  [[nodiscard]] std::string target(std::uint64_t n, std::string_view id) const;
  /// The load's body with a link in front that carries the id.
  [[nodiscard]] std::string linked_body(std::uint64_t n, std::string_view id) const;

  struct Recorded {
    std::string target, body;
  };
  /// A recorded session: the login, those calls one after the other, the logout.
  [[nodiscard]] static std::vector<api::Interaction> recording(const std::vector<Recorded>& calls);
  /// The id that the device gave.
  [[nodiscard]] static const std::string& recorded_id();
  /// The id that replay gives to the first login of an account, where the login is that of recording().
  [[nodiscard]] static std::string minted_id(const std::string& account);

 private:
  Load load_{LoadPlan()};
};

}  // namespace tapedeck::bench
