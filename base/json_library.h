// Includes nlohmann/json, with its parser and its writer compiled once in json_library.cpp. Without this header, every
// file that includes json.hpp would take half a second longer to compile, and two seconds longer if it parses. The
// library behaves the same.
#pragma once

// json.hpp defines operator""_json as a function, which compiles the parser wherever the header is included. The macro
// makes it a template that nobody calls. Tapedeck does not use the operator.
#define _json(...)                        \
  _unused_json(const char*, std::size_t); \
  template <class Char>                   \
  nlohmann::json unused_json_of(const Char* s, std::size_t n)
#include <nlohmann/json.hpp>
#undef _json

// TEMPLATE is `extern template` to declare and `template` to define.
#define TAPEDECK_JSON_INPUT(TEMPLATE, Json, Iterator)                                               \
  TEMPLATE class nlohmann::detail::lexer<Json, nlohmann::detail::iterator_input_adapter<Iterator>>; \
  TEMPLATE class nlohmann::detail::parser<Json, nlohmann::detail::iterator_input_adapter<Iterator>>;

#define TAPEDECK_JSON(TEMPLATE, Json)                                                        \
  TEMPLATE Json::basic_json(const Json&);                                                    \
  TEMPLATE Json::basic_json(initializer_list_t, bool, value_t);                              \
  TEMPLATE void Json::json_value::destroy(value_t);                                          \
  TEMPLATE Json::json_value::json_value(value_t);                                            \
  TEMPLATE std::string Json::dump(int, char, bool, nlohmann::detail::error_handler_t) const; \
  TEMPLATE void Json::push_back(Json&&);                                                     \
  TEMPLATE void Json::push_back(const Json&);                                                \
  TEMPLATE class nlohmann::detail::serializer<Json>;                                         \
  TEMPLATE class nlohmann::detail::json_sax_dom_parser<Json>;                                \
  TEMPLATE class nlohmann::detail::json_sax_dom_callback_parser<Json>;                       \
  TAPEDECK_JSON_INPUT(TEMPLATE, Json, const char*)                                           \
  TAPEDECK_JSON_INPUT(TEMPLATE, Json, std::string::const_iterator)

TAPEDECK_JSON(extern template, nlohmann::json)
TAPEDECK_JSON(extern template, nlohmann::ordered_json)
