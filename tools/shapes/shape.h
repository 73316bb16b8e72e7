#pragma once
// What values of one place have in common: the base of OpenAPI documents and TypeScript types. No value is in it, so
// that another recording of the same device gives the same.

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "api/operation_spec.h"

namespace tapedeck::tools {

class Shape {
 public:
  struct Member;

  Shape();
  Shape(const Shape& other);
  Shape(Shape&&) noexcept;
  Shape& operator=(Shape other) noexcept;
  ~Shape();

  void add(const nlohmann::json& value);
  void add(const Shape& other);
  /// Adds what the specification says of the operation's answer, and what it allows for of real devices.
  void add(const api::OperationSpec& spec);

  [[nodiscard]] bool is_seen() const;
  bool is_null = false, is_boolean = false, is_integer = false, is_number = false, is_string = false;
  std::uint64_t objects = 0;
  std::map<std::string, Member> members;
  std::uint64_t arrays = 0;
  std::unique_ptr<Shape> items;  ///< of all lists there; null while only empty ones were seen

  /// Its keys are data (ids of rules, paths): all members are of one shape.
  [[nodiscard]] bool is_map() const;
  [[nodiscard]] Shape map_value() const;

 private:
  [[nodiscard]] Shape& place(std::string_view path, bool is_always);

  bool says_map_ = false;
};

struct Shape::Member {
  Shape shape;
  std::uint64_t count = 0;  ///< in so many objects; in fewer than all: optional
};

}  // namespace tapedeck::tools
