#pragma once
// Describes the common shape of the values at one place, for TypeScript types. Contains no value,
// so that another recording of the same device has the same shape.

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tapedeck::tools {

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

}  // namespace tapedeck::tools
