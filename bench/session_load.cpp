#include "bench/session_load.h"

#include <fmt/format.h>

#include <memory>

#include "api/envelope.h"
#include "replay/sessions/session.h"
#include "scrubbers/redaction/redaction.h"

namespace tapedeck::bench {
namespace {

constexpr const char* id_shape = "86:base64url";

api::Interaction answered(std::string target, std::string body, std::int64_t place) {
  api::Interaction interaction;
  interaction.request.method = "GET";
  interaction.request.target = std::move(target);
  interaction.request.headers = {{"Host", "nas.example"}, {"Accept", "application/json"}};
  interaction.response.headers = {{"Server", "nginx"}, {"Content-Type", std::string(api::json_content_type)}};
  interaction.response.body = std::move(body);
  interaction.started_us = 1'780'000'000'000'000 + place * 2000;
  interaction.ended_us = interaction.started_us + 1500;
  return interaction;
}

std::string login_body(std::string_view id) {
  return fmt::format(R"({{"data":{{"account":"somebody","is_portal_port":false,"sid":"{}"}},"success":true}})", id);
}

}  // namespace

std::string SessionLoad::login_target(std::string_view account) {
  return fmt::format("/webapi/entry.cgi?api=SVC.API.Auth&version=6&method=login&account={}&passwd=Made-up-49871",
                     account);
}

std::string SessionLoad::logout_target(std::string_view id) {
  return fmt::format("/webapi/entry.cgi?api=SVC.API.Auth&version=6&method=logout&_sid={}", id);
}

std::string SessionLoad::target(std::uint64_t n, std::string_view id) const {
  return fmt::format("{}&_sid={}", load_.target(n), id);
}

std::string SessionLoad::linked_body(std::uint64_t n, std::string_view id) const {
  constexpr std::string_view begin = "{\"data\":{";
  return fmt::format("{}\"link\":\"/webapi/entry.cgi?api=SVC.FileStation.Download&version=2&_sid={}\",{}", begin, id,
                     load_.body(n).substr(begin.size()));
}

const std::string& SessionLoad::recorded_id() {
  static const std::string id = scrubbers::make_of_shape(id_shape, "the recorded session of the benchmarks");
  return id;
}

std::string SessionLoad::minted_id(const std::string& account) {
  replay::MintShapes shapes;
  shapes.session_id = id_shape;
  return replay::Session(std::make_shared<replay::Account>(account), 0, shapes, 0).id();
}

std::vector<api::Interaction> SessionLoad::recording(const std::vector<Recorded>& calls) {
  std::vector<api::Interaction> all;
  const auto add = [&](std::string target, std::string body) {
    all.push_back(answered(std::move(target), std::move(body), static_cast<std::int64_t>(all.size())));
  };
  add(login_target("somebody"), login_body(recorded_id()));
  all.front().response.headers.add("Set-Cookie", fmt::format("id={};path=/;HttpOnly", recorded_id()));
  for (const Recorded& call : calls) add(call.target, call.body);
  add(logout_target(recorded_id()), api::success_envelope());
  return all;
}

}  // namespace tapedeck::bench
