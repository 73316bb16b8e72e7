#pragma once
// The operations that cassettes have seen, with the shapes of their parameters and answers.

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "cassettes/read/cassette_reader.h"
#include "tools/exchange/in_order.h"
#include "tools/shapes/shape.h"

namespace tapedeck::tools {

struct SeenOperation {
  std::string api, version, method;  ///< as they are called; the API's name with its first label
  std::string path;                  ///< the script of the requests; the first in the order of their bytes
  std::set<std::string> verbs;
  bool changes_state = false;
  std::uint64_t calls = 0;
  std::map<std::string, Shape::Member> params;  ///< without what is secret or changes with every call
  Shape success;                                ///< whole envelopes that say so
  std::set<int> codes;                          ///< of the others
  std::set<std::string> other_types;            ///< content types of what is no envelope
  std::string name;                             ///< an identifier, distinct among all: CoreNetworkGetV1
};

/// By API, version and method.
class Operations {
 public:
  /// Throws CassetteError, Stopped.
  void add(const cassettes::CassetteReader& cassette, const ExportRange& range);
  /// Adds what the specification says of its three operations, in all versions that were seen, or as devices with that
  /// first label have them when none was.
  void add_specified(const std::string& label);
  /// Gives the names. Nothing is added afterwards.
  void settle();

  using Key = std::tuple<std::string, std::string, std::string>;
  [[nodiscard]] const std::map<Key, SeenOperation>& all() const { return operations_; }

 private:
  SeenOperation& operation(const std::string& api, const std::string& version, const std::string& method);
  void add_call(const cassettes::FullInteraction& full, const api::Call& call, std::string_view answer);
  void add_spec(const api::OperationSpec& spec, const std::string& label);

  std::map<Key, SeenOperation> operations_;
};

}  // namespace tapedeck::tools
