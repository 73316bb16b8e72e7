#pragma once
// Collects the operations in cassettes, with the shapes of their parameters and responses.

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "cassettes/read/cassette_reader.h"
#include "tools/exchange/in_order.h"

namespace tapedeck::tools {

/// The common shape of the values at one place, for TypeScript types. Contains no value, so that another recording of
/// the same device has the same shape.
class Shape {
 public:
  struct Member;

  void add(const nlohmann::json& value);
  void add(const Shape& other);

  [[nodiscard]] bool is_seen() const;
  bool is_null = false, is_boolean = false, is_integer = false, is_number = false, is_string = false;
  std::uint64_t objects = 0;
  std::map<std::string, Member> members;
  std::uint64_t arrays = 0;
  std::vector<Shape> items;  ///< one shape for the elements of all lists; none if all were empty

  /// Returns true if the keys are data, such as rule IDs or paths. All members then have the same shape.
  [[nodiscard]] bool is_map() const;
  [[nodiscard]] Shape map_value() const;

 private:
  [[nodiscard]] Shape& item();
};

struct Shape::Member {
  Shape shape;
  std::uint64_t count = 0;  ///< number of objects that have the member; if not all have it, it is optional
};

/// Visits the call of a complete interaction, and then each complete part of a compound, with its response, which is in
/// the record's body. Visits nothing for other interactions.
void each_call(const scrubbers::InteractionRecord& record,
               const std::function<void(const api::Call& call, std::string_view response)>& visit);

struct SeenOperation {
  std::string api, version, method;  ///< from the requests; the API's name has its first label
  bool changes_state = false;
  std::uint64_t calls = 0;
  std::map<std::string, Shape::Member> params;  ///< without secrets and parameters that change with every call
  Shape success;                                ///< shape of complete successful envelopes
  std::string name;                             ///< a unique identifier, such as CoreNetworkGetV1
};

/// Collects operations, sorted by API, version, and method.
class Operations {
 public:
  /// Throws CassetteError or Stopped.
  void add(const cassettes::CassetteReader& cassette, const ExportRange& range);
  /// Assigns the names. Nothing may be added afterwards.
  void settle();

  using Key = std::tuple<std::string, std::string, std::string>;
  [[nodiscard]] const std::map<Key, SeenOperation>& all() const { return operations_; }

 private:
  SeenOperation& operation(const std::string& api, const std::string& version, const std::string& method);
  void add_call(const cassettes::FullInteraction& full, const api::Call& call, std::string_view answer);

  std::map<Key, SeenOperation> operations_;
};

}  // namespace tapedeck::tools
