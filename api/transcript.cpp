#include "api/transcript.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "api/json_spans.h"
#include "base/base64.h"
#include "base/text.h"
#include "http/message/urlencoded.h"

namespace tapedeck::api {
namespace {

using Type = SocketMessage::Type;

constexpr std::pair<Type, const char*> words[] = {
    {Type::text, "text"}, {Type::binary, "binary"}, {Type::close, "close"}, {Type::cut, "cut"}};

std::optional<Type> type_of(const nlohmann::json& object) {
  const auto word = object.find("type");
  for (const auto& [type, name] : words) {
    if (word != object.end() && *word == name) return type;
  }
  return std::nullopt;
}

std::string string_member(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t number_member(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

std::optional<SocketMessage> message_of(const nlohmann::json& object) {
  if (!object.is_object()) return std::nullopt;
  const auto type = type_of(object);
  if (!type) return std::nullopt;
  SocketMessage message;
  message.type = *type;
  message.from_device = string_member(object, "from") == "device";
  message.at_us = number_member(object, "at_us");
  message.withheld = string_member(object, "withheld");
  switch (*type) {
    case Type::text:
      message.text = string_member(object, "data");
      break;
    case Type::binary:
      message.text = base::from_base64(string_member(object, "base64"));
      break;
    case Type::close:
      message.code = static_cast<std::uint16_t>(number_member(object, "code"));
      [[fallthrough]];
    case Type::cut:
      message.text = string_member(object, "reason");
  }
  return message;
}

std::string content_of(const SocketMessage& message) {
  if (!message.withheld.empty()) return ",\"withheld\":" + json_quoted(message.withheld);
  switch (message.type) {
    case Type::text:
      return ",\"data\":" + json_quoted(message.text);
    case Type::binary:
      return ",\"base64\":\"" + base::base64_form(message.text) + "\"";
    case Type::close:
      return ",\"code\":" + std::to_string(message.code) + ",\"reason\":" + json_quoted(message.text);
    case Type::cut:
      return ",\"reason\":" + json_quoted(message.text);
  }
  return {};
}

}  // namespace

std::string to_json(const SocketMessage& message) {
  std::string line = message.from_device ? R"({"from":"device","at_us":)" : R"({"from":"client","at_us":)";
  line += std::to_string(message.at_us) + ",\"type\":\"";
  for (const auto& [type, name] : words) line += type == message.type ? name : "";
  return line + "\"" + content_of(message) + "}";
}

std::string transcript(const std::vector<SocketMessage>& messages) {
  std::string body;
  for (const SocketMessage& message : messages) body.append(body.empty() ? "[\n" : ",\n").append(to_json(message));
  return body.empty() ? "[]" : body + "\n]\n";
}

std::optional<std::vector<SocketMessage>> parse_transcript(std::string_view body) {
  const auto list = nlohmann::json::parse(body.begin(), body.end(), nullptr, false);
  if (!list.is_array()) return std::nullopt;
  std::vector<SocketMessage> messages;
  messages.reserve(list.size());
  for (const nlohmann::json& object : list) {
    auto message = message_of(object);
    if (!message) return std::nullopt;
    messages.push_back(*std::move(message));
  }
  return messages;
}

int engine_io_version(std::string_view target) {
  return base::whole_number<int>(http::raw_parameter(target, "EIO")).value_or(0);
}

bool is_socket_io(std::string_view target) {
  return http::split_target(target).path.ends_with("/socket.io/") && engine_io_version(target) != 0;
}

bool is_heartbeat(std::string_view text) { return text == "2" || text == "3"; }

bool is_polled_heartbeat(std::string_view body) { return body == "3" || body == "1:2"; }

std::optional<std::chrono::milliseconds> announced_interval(std::string_view text) {
  constexpr std::string_view name = "\"pingInterval\":";
  const std::size_t at = text.find(name);
  if (at == std::string_view::npos || text.find("0{\"sid\":") > at) return std::nullopt;
  const std::string_view rest = text.substr(at + name.size());
  const auto number = base::whole_number<std::uint32_t>(rest.substr(0, rest.find_first_not_of("0123456789")));
  if (number.value_or(0) == 0) return std::nullopt;
  return std::chrono::milliseconds(*number);
}

Heartbeats heartbeats_of(std::string_view target, const std::vector<SocketMessage>& messages,
                         std::chrono::milliseconds before) {
  const bool begins_here = !messages.empty() && messages.front().from_device;
  const auto announced = begins_here ? announced_interval(messages.front().text) : std::nullopt;
  return {engine_io_version(target), announced.value_or(before)};
}

}  // namespace tapedeck::api
