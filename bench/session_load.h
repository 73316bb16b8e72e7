#pragma once
// Generates a session of one client: login, calls whose responses contain the session ID, logout.

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

  /// Returns the target of call `n` with the session ID in its query.
  [[nodiscard]] std::string target(std::uint64_t n, std::string_view id) const;
  /// Returns the load's body with a link before it that contains the ID.
  [[nodiscard]] std::string linked_body(std::uint64_t n, std::string_view id) const;

  struct Recorded {
    std::string target, body;
  };
  /// Returns a recorded session: the login, these calls, and the logout.
  [[nodiscard]] static std::vector<api::Interaction> recording(const std::vector<Recorded>& calls);
  /// Returns the ID that the device returned.
  [[nodiscard]] static const std::string& recorded_id();
  /// Returns the ID that replay returns for the first login of an account, if the login is that of recording().
  [[nodiscard]] static std::string minted_id(const std::string& account);

 private:
  Load load_{LoadPlan()};
};

}  // namespace tapedeck::bench
