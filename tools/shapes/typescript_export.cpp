#include "tools/shapes/typescript_export.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "base/text.h"

namespace tapedeck::tools {

namespace {

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

/// Returns the name as it can be written before a colon, with quotes if necessary.
std::string member_name(const std::string& name) {
  const auto is_part = [](char c) { return base::is_alnum(c) || c == '_'; };
  const bool is_plain =
      !name.empty() && !base::is_digit(name.front()) && std::all_of(name.begin(), name.end(), is_part);
  return is_plain ? name : quoted(name);
}

std::string type_of(const Shape& shape, std::size_t depth, bool is_envelope = false);

std::string object_type(const Shape& shape, std::size_t depth, bool is_envelope) {
  if (shape.members.empty()) return "Record<string, unknown>";
  if (shape.is_map()) return "{ [key: string]: " + type_of(shape.map_value(), depth) + " }";
  std::string out = "{\n";
  for (const auto& [name, member] : shape.members) {
    const bool is_verdict = is_envelope && name == "success";
    out.append(2 * depth + 2, ' ').append(member_name(name)).append(member.count < shape.objects ? "?: " : ": ");
    out.append(is_verdict ? "true" : type_of(member.shape, depth + 1)).append(";\n");
  }
  return out.append(2 * depth, ' ').append("}");
}

std::string type_of(const Shape& shape, std::size_t depth, bool is_envelope) {
  std::string out;
  const auto add = [&](const std::string& type) { out += (out.empty() ? "" : " | ") + type; };
  if (shape.objects > 0) add(object_type(shape, depth, is_envelope));
  if (shape.arrays > 0) add(shape.items.empty() ? "unknown[]" : "Array<" + type_of(shape.items.front(), depth) + ">");
  if (shape.is_string) add("string");
  if (shape.is_integer || shape.is_number) add("number");
  if (shape.is_boolean) add("boolean");
  if (shape.is_null) add("null");
  return out.empty() ? "unknown" : out;
}

/// Replaces characters that could end a comment, because names come from requests.
std::string in_comment(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '*' || c == '/' || c < ' ' ? '.' : c;
  return out;
}

void write_params(const SeenOperation& operation, std::ostream& out) {
  out << "export interface " << operation.name << "Params {\n";
  for (const auto& [name, param] : operation.params) {
    out << "  " << member_name(name) << (param.count < operation.calls ? "?: " : ": ") << type_of(param.shape, 1)
        << ";\n";
  }
  out << "}\n\n";
}

constexpr const char* head =
    R"(// Types of the recorded responses of a device. Written by `tapedeck export --as typescript`.

/** The response of an operation that fails. */
export interface Failure {
  success: false;
  error: { code: number; errors?: unknown; [more: string]: unknown };
  [more: string]: unknown;
}

export type Answer<Success> = Success | Failure;

)";

}  // namespace

void export_typescript(const Operations& operations, std::ostream& out) {
  out << head;
  for (const auto& [key, operation] : operations.all()) {
    out << "/** " << in_comment(operation.api + " " + operation.method + ", version " + operation.version)
        << (operation.changes_state ? "; changes the device" : "") << " */\n";
    write_params(operation, out);
    const std::string type = operation.success.is_seen() ? type_of(operation.success, 0, true) : "{ success: true }";
    out << "export type " << operation.name << " = " << type << ";\n\n";
  }
  out << "export interface Operations {\n";
  for (const auto& [key, operation] : operations.all()) {
    out << "  " << quoted(operation.api + "/" + operation.version + "/" + operation.method)
        << ": { params: " << operation.name << "Params; answer: Answer<" << operation.name << "> };\n";
  }
  out << "}\n";
}

}  // namespace tapedeck::tools
