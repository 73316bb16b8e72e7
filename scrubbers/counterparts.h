#pragma once
// Replaces the values of one session with those of another, in every part of a message and in every encoding. Finds
// values as redaction does, and writes them as replay does.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret_arena.h"
#include "http/message/message.h"
#include "scrubbers/redaction/redaction.h"
#include "scrubbers/redaction/replace.h"
#include "scrubbers/rules/compiled_rules.h"
#include "scrubbers/search/secret_search.h"

namespace tapedeck::scrubbers {

/// Immutable and thread-safe.
class Counterparts {
 public:
  struct Pair {
    SecretClass secret_class = SecretClass::session_id;
    std::string_view from, to;  ///< a pair with an empty side is ignored
  };
  /// `rules` name the places of values and must outlive it. Copies the values.
  Counterparts(const CompiledRules& rules, const std::vector<Pair>& pairs);

  /// Replaces every `from` of at least SecretSearch::shortest bytes. Leaves a value in base64 unchanged if its
  /// replacement would shift the characters after it.
  [[nodiscard]] Replaced written(std::string_view text) const;

  /// Does the same for target, headers, and body of a request. Also replaces any value in named places: "_sid",
  /// "SynoToken", the cookies "id" and "did", X-SYNO-TOKEN. Returns the classes of the replaced values. Requires a
  /// decoded body.
  std::vector<SecretClass> write_into(http::Request& request, std::string_view base_path) const;
  void write_into(http::Headers& headers) const;

  /// Returns the number of bytes at the end of `text` that may be the beginning of a value. A stream keeps them back
  /// until more bytes arrive.
  [[nodiscard]] std::size_t waiting_bytes(std::string_view text) const;

 private:
  struct Known {
    SecretClass secret_class;
    std::string_view from, to;
  };
  [[nodiscard]] const Known* of_class(SecretClass secret_class) const;
  void search(std::string_view text, std::vector<Spot>& spots) const;
  [[nodiscard]] Replaced write(std::string_view text, std::vector<Spot> spots) const;

  const CompiledRules& rules_;
  base::SecretArena arena_;
  std::vector<Known> known_;  ///< index: the number of a spot
  std::unique_ptr<SecretSearch> search_;
};

}  // namespace tapedeck::scrubbers
