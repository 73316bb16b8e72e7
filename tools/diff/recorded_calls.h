#pragma once
// Lists the calls of a cassette to compare them with those of another.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cassettes/read/cassette_reader.h"
#include "scrubbers/private/private_profile.h"
#include "tools/diff/noise.h"
#include "tools/diff/response_diff.h"

namespace tapedeck::tools {

/// The place of one response to a call.
struct RecordedPlace {
  std::int64_t interaction = 0;
  std::uint32_t take = 0, lane = 0, ord = 0;
  bool complete = true;
};

class RecordedCalls {
 public:
  /// Scope and key. The key omits the first label of its API if the cassette has only one label.
  using Name = std::pair<std::string, std::string>;
  struct Call {
    std::string key;  ///< the stored key
    std::vector<RecordedPlace> places;
  };

  /// With a profile, replaces private values by pseudonyms. The profile must outlive the object.
  explicit RecordedCalls(const cassettes::CassetteReader& cassette,
                         scrubbers::PrivateProfile* private_values = nullptr);

  [[nodiscard]] const std::map<Name, Call>& calls() const { return calls_; }
  /// Returns the places in the newest take that has the call, by lane. Incomplete responses are included only if there
  /// are no complete ones.
  [[nodiscard]] std::vector<std::vector<RecordedPlace>> newest(const Call& call) const;
  [[nodiscard]] scrubbers::InteractionRecord load(const RecordedPlace& place) const;
  /// Adds the noise in the recordings of the call to `model`.
  void teach(const Name& name, const Call& call, NoiseModel& model) const;

 private:
  [[nodiscard]] std::string key_of(const cassettes::ListedInteraction& line) const;

  const cassettes::CassetteReader& cassette_;
  scrubbers::PrivateProfile* private_values_;
  std::map<Name, Call> calls_;
  /// places of writes by take and scope
  std::map<std::pair<std::uint32_t, std::string>, std::set<std::uint32_t>> writes_;
};

/// Returns the key without the first label of its API's name.
[[nodiscard]] std::string without_label(const std::string& key_text);

}  // namespace tapedeck::tools
