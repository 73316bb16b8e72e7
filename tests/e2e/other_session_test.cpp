// Tests a scrubbed cassette with other sessions: in whatever way a client sends its ID, it gets the response with its
// own ID.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/e2e/harness.h"
#include "tests/support/deep_search.h"

namespace tapedeck::tests::other_session_cases {

namespace {

const std::string video = "api=SYNO.VideoStation.Streaming&version=1&method=";

struct Ids {
  std::string sid, token;
};

struct Answer {
  std::string flow, outcome, body;
  int status = 0;
};

std::string with_names(std::string text, const std::map<std::string, std::string>& names) {
  for (const auto& [value, name] : names) {
    for (auto at = text.find(value); at != std::string::npos; at = text.find(value, at + name.size())) {
      text.replace(at, value.size(), name);
    }
  }
  return text;
}

std::string decoded(const std::string& base64) {
  static const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0, held = 0;
  for (const char c : base64.substr(0, base64.find('='))) {
    held = held << 6 | static_cast<unsigned>(alphabet.find(c));
    if ((bits += 6) >= 8) out += static_cast<char>(held >> (bits -= 8) & 255);
  }
  return out;
}

/// A client that logs in and sends its ID in every possible way.
class Client {
 public:
  Client(std::string base, const Login& login) : base_(std::move(base)) {
    const Transcript seen = play(base_, {login_step()}, login);
    ids_ = {seen.sid, seen.token};
    names_ = {{ids_.sid, "<sid>"}, {ids_.token, "<token>"}};
  }

  [[nodiscard]] const std::string& sid() const { return ids_.sid; }
  /// Returns the responses with the client's own IDs by name.
  [[nodiscard]] std::vector<Answer> answers() const {
    std::map<std::string, std::string> names = names_;
    for (std::size_t i = 0; i < tickets_.size(); ++i) names[tickets_[i]] = "<ticket " + std::to_string(i) + ">";
    std::vector<Answer> answers = answers_;
    for (Answer& answer : answers) answer.body = with_names(answer.body, names);
    return answers;
  }
  [[nodiscard]] const std::vector<std::string>& tickets() const { return tickets_; }
  [[nodiscard]] const std::string& all() const { return all_; }

  void use_plain_ids() {
    const std::string network = base_ + "/webapi/entry.cgi?api=SYNO.Core.Network&version=";
    ask("query", {network + "1&method=get&_sid=" + ids_.sid});
    ask("query, percent-encoded", {network + "1&method=get&_sid=" + percent_all(ids_.sid)});
    ask("cookie", {network + "2&method=get", "-H", "Cookie: id=" + ids_.sid});
    ask("form body", {base_ + "/webapi/entry.cgi", "-d",
                      "api=SYNO.Core.Terminal&version=3&method=get&_sid=" + ids_.sid + "&SynoToken=" + ids_.token});
    ask("id in a script", {base_ + "/webapi/entry.cgi?api=SYNO.Core.Desktop.SessionData&version=1&method=getjs", "-H",
                           "Cookie: id=" + ids_.sid, "-H", "X-SYNO-TOKEN: " + ids_.token});
    ask("redirect", {base_ + "/go?_sid=" + ids_.sid});
  }

  /// Follows the URL in a response, with another origin.
  void follow_link() {
    const auto link = nlohmann::json::parse(
        ask("link", {base_ + "/webapi/entry.cgi?api=SYNO.FileStation.List&version=2&method=getlink&_sid=" + ids_.sid}));
    const std::string url = link.at("data").at("files").at(0).at("url").get<std::string>();
    ask("linked download", {base_ + url.substr(url.find("/webapi"))});
  }

  void use_tickets() {
    const auto opened =
        nlohmann::json::parse(ask("tickets", {base_ + "/webapi/entry.cgi?" + video + "open&_sid=" + ids_.sid}));
    for (const auto& ticket : opened.at("data").at("tickets")) {
      tickets_.push_back(ticket.get<std::string>());
      const std::string name = "ticket " + std::to_string(tickets_.size());
      ask(name + " in the query", {base_ + "/webapi/entry.cgi?" + video + "stream&ticket=" + percent_all(tickets_.back()),
                                   "-H", "Cookie: id=" + ids_.sid});
      ask(name + " in a form", {base_ + "/webapi/entry.cgi", "-H", "Cookie: id=" + ids_.sid, "-d",
                                video + "stream&form=1", "--data-urlencode", "ticket=" + tickets_.back()});
    }
  }

 private:
  std::string ask(const std::string& flow, const std::vector<std::string>& arguments) {
    const Reply reply = curl(arguments);
    for (const auto& [name, value] : reply.headers) all_ += name + ": " + value + "\n";
    all_ += reply.body;
    const std::string location = with_names(reply.header("location"), {{base_, ""}});
    answers_.push_back({flow, reply.header("x-tapedeck-outcome"), location + reply.body, reply.status});
    return reply.body;
  }

  std::string base_;
  Ids ids_;
  std::map<std::string, std::string> names_;
  std::vector<Answer> answers_;
  std::vector<std::string> tickets_;
  std::string all_;
};

void use_everything(Client& client) {
  client.use_plain_ids();
  client.follow_link();
  client.use_tickets();
}

}  // namespace

TEST_CASE("other session: IDs in query, cookie, form, URL, and base64 become the session's own on replay") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "flows.cassette";
  std::unique_ptr<Client> recorded;
  record(folder.path(), device, cassette, [&](const std::string& url) {
    recorded = std::make_unique<Client>(url, Login());
    use_everything(*recorded);
  });
  const std::vector<Answer> expected = recorded->answers();
  for (const Answer& answer : expected) {
    INFO(answer.flow << ": " << answer.body);
    CHECK(answer.status < 400);
    CHECK(answer.body.find("\"error\"") == std::string::npos);
  }
  std::vector<std::string> secrets = recorded->tickets();
  REQUIRE(secrets.size() == 3);
  for (const std::string& ticket : secrets)
    CHECK(decoded(ticket).find(recorded->sid() + "&file=7") != std::string::npos);
  secrets.push_back(recorded->sid());
  CHECK(deep_search_files(folder.path(), secrets).empty());

  REQUIRE(run_tapedeck({"scrub", cassette}).status == 0);
  Server replay(folder.path(), {"replay", "--strict", cassette});
  Client one(replay.url(), {"one", "x"});
  Client two(replay.url(), {"somebody", "else"});
  REQUIRE(one.sid() != two.sid());
  for (Client* client : {&one, &two}) use_everything(*client);
  for (Client* client : {&one, &two}) {
    const std::vector<Answer> answers = client->answers();
    REQUIRE(answers.size() == expected.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
      INFO(answers[i].flow);
      CHECK(answers[i].outcome == "recorded");
      CHECK(answers[i].status == expected[i].status);
      CHECK(answers[i].body == expected[i].body);
    }
    const std::vector<std::string> before = {"id=", "sid=", "_sid="};
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(decoded(client->tickets().at(i)) == before[i] + client->sid() + "&file=7");
    CHECK(client->all().find(recorded->sid()) == std::string::npos);
    CHECK(client->all().find(client == &one ? two.sid() : one.sid()) == std::string::npos);
    for (const std::string& ticket : recorded->tickets()) CHECK(client->all().find(ticket) == std::string::npos);
  }
  CHECK(replay.stop() == 0);
}

}  // namespace tapedeck::tests::other_session_cases
