#include "tools/shapes/openapi_export.h"

#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "http/message/urlencoded.h"
#include "tools/content/plain_text.h"

namespace tapedeck::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view about =
    "Paths name the API, the version, and the method of a call: /webapi/entry.cgi/API/VERSION/METHOD. tapedeck replay "
    "and tapedeck record accept such paths; a device expects the three names as parameters.";

Json schema_of(const Shape& shape);

void describe_object(const Shape& shape, Json& schema) {
  if (shape.is_map()) {
    schema["additionalProperties"] = schema_of(shape.map_value());
    return;
  }
  Json required = Json::array();
  for (const auto& [name, member] : shape.members) {
    schema["properties"][name] = schema_of(member.shape);
    if (member.count == shape.objects) required.push_back(name);
  }
  if (!required.empty()) schema["required"] = std::move(required);
}

Json schema_of(const Shape& shape) {
  Json types = Json::array();
  if (shape.objects > 0) types.push_back("object");
  if (shape.arrays > 0) types.push_back("array");
  if (shape.is_string) types.push_back("string");
  if (shape.is_number) types.push_back("number");
  if (shape.is_integer && !shape.is_number) types.push_back("integer");
  if (shape.is_boolean) types.push_back("boolean");
  if (shape.is_null) types.push_back("null");
  Json schema = Json::object();
  if (types.size() == 1) schema["type"] = types[0];
  if (types.size() > 1) schema["type"] = std::move(types);
  if (shape.objects > 0) describe_object(shape, schema);
  if (shape.arrays > 0) schema["items"] = shape.items.empty() ? Json::object() : schema_of(shape.items.front());
  return schema;
}

/// Returns true for the parameters that name the call, which are in the path.
bool is_in_path(std::string_view param) { return param == "api" || param == "version" || param == "method"; }

/// Returns the schema of a parameter. Lists and objects are sent as JSON text.
Json parameter_schema(const Shape& shape) {
  if (shape.arrays == 0 && shape.objects == 0) return schema_of(shape);
  Json schema = {{"type", "string"}};
  if (!shape.is_string) {
    schema["contentMediaType"] = "application/json";
    schema["contentSchema"] = schema_of(shape);
  }
  return schema;
}

Json query_of(const SeenOperation& operation) {
  Json out = Json::array();
  for (const auto& [name, param] : operation.params) {
    if (is_in_path(name)) continue;
    out.push_back({{"name", name},
                   {"in", "query"},
                   {"required", operation.calls > 0 && param.count == operation.calls},
                   {"schema", parameter_schema(param.shape)}});
  }
  return out;
}

Json form_of(const SeenOperation& operation) {
  Json schema = {{"type", "object"}};
  Json required = Json::array();
  for (const auto& [name, param] : operation.params) {
    if (is_in_path(name)) continue;
    schema["properties"][name] = parameter_schema(param.shape);
    if (param.count == operation.calls) required.push_back(name);
  }
  if (!required.empty()) schema["required"] = std::move(required);
  return {{"content", {{"application/x-www-form-urlencoded", {{"schema", std::move(schema)}}}}}};
}

Json responses_of(const SeenOperation& operation) {
  std::string description = "The response";
  if (!operation.codes.empty()) {
    description += "; observed error codes:";
    for (const int code : operation.codes) description += " " + std::to_string(code);
  }
  Json content = Json::object();
  Json choices = Json::array();
  if (operation.success.is_seen()) {
    choices.push_back({{"$ref", "#/components/schemas/" + operation.name}});
  }
  choices.push_back({{"$ref", "#/components/schemas/Failure"}});
  content["application/json"] = {{"schema", {{"anyOf", std::move(choices)}}}};
  for (const std::string& type : operation.other_types) {
    if (!type.empty() && !content.contains(type)) content[type] = {{"schema", Json::object()}};
  }
  return {{"200", {{"description", description}, {"content", std::move(content)}}}};
}

Json operation_of(const SeenOperation& operation, bool is_form) {
  Json out = {{"operationId", operation.name + (is_form ? "Form" : "")},
              {"tags", {operation.api}},
              {"summary", operation.api + " " + operation.method + ", version " + operation.version}};
  if (operation.changes_state) out["description"] = "Changes the device.";
  if (is_form) {
    out["requestBody"] = form_of(operation);
  } else {
    out["parameters"] = query_of(operation);
  }
  out["responses"] = responses_of(operation);
  return out;
}

/// Percent-encodes characters that have a meaning in paths, such as braces, `?`, and `#`.
std::string in_path(std::string_view text) {
  return percent_encoded(text, [](char c) { return c == '/' || c == '%'; });
}

Json failure() {
  return {{"type", "object"},
          {"properties",
           {{"success", {{"const", false}}},
            {"error",
             {{"type", "object"},
              {"properties", {{"code", {{"type", "integer"}}}, {"errors", Json::object()}}},
              {"required", {"code"}}}}}},
          {"required", {"success", "error"}}};
}

}  // namespace

void export_openapi(const Operations& operations, const std::string& server, std::ostream& out) {
  Json paths = Json::object(), schemas = {{"Failure", failure()}};
  for (const auto& [key, operation] : operations.all()) {
    const std::string path =
        in_path(operation.path + "/" + operation.api + "/" + operation.version + "/" + operation.method);
    const bool is_form = operation.verbs.contains("POST");
    if (!is_form || operation.verbs.contains("GET")) paths[path]["get"] = operation_of(operation, false);
    if (is_form) paths[path]["post"] = operation_of(operation, true);
    if (operation.success.is_seen()) schemas[operation.name] = schema_of(operation.success);
  }
  const Json document = {
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "Device Management Web API, as recorded"}, {"version", "1"}, {"description", std::string(about)}}},
      {"servers", {{{"url", server}, {"description", "tapedeck replay or tapedeck record"}}}},
      {"security", {Json::object()}},
      {"paths", std::move(paths)},
      {"components", {{"schemas", std::move(schemas)}}}};
  out << base::printable_json(document.dump(2, ' ', false, Json::error_handler_t::replace)) << '\n';
}

}  // namespace tapedeck::tools
