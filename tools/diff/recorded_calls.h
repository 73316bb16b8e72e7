#pragma once
// A cassette's calls, ready to be compared.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cassettes/read/cassette_reader.h"
#include "scrubbers/private/private_profile.h"
#include "tools/diff/answer_diff.h"
#include "tools/diff/noise.h"

namespace tapedeck::tools {

/// Where one answer of a call stands.
struct RecordedPlace {
  /// Of status, headers that are compared, and body: equal ones need not be read to be compared (is_same()).
  using Mark = std::array<char, 16>;

  std::int64_t interaction = 0;
  Mark mark{};
  std::uint32_t take = 0, lane = 0, ord = 0;
  int status = 0;
  bool complete = true;
  bool compared = true;  ///< else it only teaches what is noise
};

class RecordedCalls {
 public:
  /// Scope and key; the key without its first label where the cassette has one label alone.
  using Name = std::pair<std::string, std::string>;
  struct Call {
    std::string key;  ///< as it is stored
    std::vector<RecordedPlace> places;
  };

  /// With `only`, calls that have one of these interactions, and of them these alone. With a profile, which must
  /// outlive this, of a cassette without pseudonyms: as if it had them.
  RecordedCalls(const cassettes::CassetteReader& cassette, const std::optional<std::set<std::string>>& only,
                scrubbers::PrivateProfile* private_values = nullptr);

  [[nodiscard]] const std::map<Name, Call>& calls() const { return calls_; }
  /// Of the newest take that has the call, by lane; complete ones where there are any.
  [[nodiscard]] static std::vector<std::vector<RecordedPlace>> newest(const Call& call);
  [[nodiscard]] ComparedAnswer load(const RecordedPlace& place) const;
  /// What its recordings teach of noise.
  void teach(const Name& name, const Call& call, NoiseModel& model) const;

 private:
  void mark_places();

  [[nodiscard]] std::string key_of(const cassettes::ListedInteraction& line) const;

  const cassettes::CassetteReader& cassette_;
  scrubbers::PrivateProfile* private_values_;
  std::map<Name, Call> calls_;
  /// Places of state-changing calls, by take and scope.
  std::map<std::pair<std::uint32_t, std::string>, std::set<std::uint32_t>> writes_;
};

/// The key without what stands before the first dot of its API's name.
[[nodiscard]] std::string without_label(const std::string& key_text);

}  // namespace tapedeck::tools
