#pragma once
// One interaction on its way through the private profile: found by name and by shape, searched, replaced.

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/private/private_names.h"
#include "scrubbers/private/private_search.h"
#include "scrubbers/private/private_values.h"
#include "scrubbers/private/pseudonyms.h"
#include "scrubbers/rules/compiled_rules.h"
#include "scrubbers/rules/named_finds.h"
#include "scrubbers/scrubbed_interaction.h"
#include "scrubbers/text/replace.h"

namespace tapedeck::scrubbers {

class PrivatePass {
 public:
  struct Tools {
    const CompiledRules& rules;
    const std::vector<PrivateRule>& kinds;  ///< by the rules' numbers
    const PrivateValues& values;
    Pseudonyms& pseudonyms;
    const PrivateSearch& search;
    std::map<std::string, std::uint32_t>& ordinals;  ///< of what stands in the place of values: equal ones have one
  };
  /// The record must stay as it is until replace_into(). What is given must outlive the pass.
  PrivatePass(Tools tools, const InteractionRecord& record);

  /// By name and by shape.
  void find();
  /// Known texts everywhere.
  void search();
  /// True when anything was replaced.
  bool replace_into(InteractionRecord& record);

 private:
  void find_named(const InteractionRecord& record);
  void find_shapes(Part part);
  void find_shapes(Part part, std::size_t begin, std::size_t end);
  void find_shapes_decoded(Part part, std::size_t begin, std::size_t end, Codec codec);
  void search(Part part, std::size_t begin, std::size_t end);
  void add(Part part, std::size_t begin, std::size_t end, std::string made, std::string encoding, std::string rule,
           bool named);
  /// Lines of headers without those that say what the client and the server are, other parts whole.
  template <class Visit>
  void each_piece(Part part, Visit&& visit) const;
  [[nodiscard]] bool is_text(Part part) const;

  Tools tools_;
  const InteractionRecord& record_;
  Texts texts_;
  ByPart<Redaction> fixed_;
  ByPart<Spot> spots_;
  std::vector<std::string> made_;  ///< by Spot::value: what stands there afterwards, not yet encoded
};

/// A text that is no interaction's.
[[nodiscard]] std::string replaced_in_text(std::string_view text, Pseudonyms& pseudonyms, const PrivateSearch& search);

}  // namespace tapedeck::scrubbers
