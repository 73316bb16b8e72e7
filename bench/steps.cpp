#include "bench/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <stdexcept>

#include "bench/client.h"
#include "bench/load.h"

namespace tapedeck::bench {
namespace {

std::string request(std::string_view target, const std::string& form, std::uint16_t port) {
  if (form.empty()) return fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", target, port);
  return fmt::format(
      "POST {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
      "Content-Length: {}\r\n\r\n{}",
      target, port, form.size(), form);
}

std::string file_target(const Step& step) {
  const bool marked = step.target.find(id_mark) != std::string::npos;
  return Load::file(step.file) + (marked ? std::string("?_sid=") + id_mark : "");
}

[[noreturn]] void refuse(const Step& step, const Answer& answer) {
  throw std::runtime_error(fmt::format("not the expected answer ({}) to {}\n{}{:.400}", step.outcome,
                                       with_id(step.target, "SESSION"), answer.head, answer.body));
}

void check(const Step& step, const std::string& id, const Answer& answer) {
  if (answer.status != 200 || answer.header("X-Tapedeck-Outcome") != step.outcome) refuse(step, answer);
  if (!step.body.empty() && answer.body != with_id(step.body, id)) refuse(step, answer);
  for (const std::string& piece : step.holds) {
    if (answer.body.find(piece) == std::string::npos) refuse(step, answer);
  }
}

}  // namespace

std::string with_id(std::string_view text, std::string_view id) {
  std::string out;
  for (const char byte : text) {
    if (byte == id_mark) {
      out += id;
    } else {
      out += byte;
    }
  }
  return out;
}

void write_list(const Steps& steps, std::uint16_t port, bool files, const std::filesystem::path& list) {
  std::ofstream out(list, std::ios::binary | std::ios::trunc);
  for (const Step& step : steps) out << request(files ? file_target(step) : step.target, step.form, port) << '\0';
  if (!out.flush()) throw std::runtime_error("cannot write " + list.string());
}

std::vector<std::string> check_steps(const Steps& steps, std::uint16_t port, const IdOf& id_of) {
  Client client(port);
  std::vector<std::string> bodies;
  for (std::uint64_t place = 0; place < steps.size(); ++place) {
    const Step& step = steps[place];
    const std::string id = id_of ? id_of(place) : "";
    Answer answer = client.ask(request(with_id(step.target, id), step.form, port));
    check(step, id, answer);
    bodies.push_back(std::move(answer.body));
  }
  return bodies;
}

void write_step_files(const Steps& steps, const std::vector<std::string>& bodies, const std::filesystem::path& folder) {
  std::filesystem::remove_all(folder);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::filesystem::path file = folder / Load::file(steps[i].file).substr(1);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << bodies[i];
    if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
  }
}

void check_step_files(const Steps& steps, const std::vector<std::string>& bodies, std::uint16_t port) {
  std::set<std::uint64_t> seen;
  // Goes backward, because of several steps that share a file, the last one has its body.
  for (std::size_t i = steps.size(); i-- > 0;) {
    if (!seen.insert(steps[i].file).second) continue;
    // One connection for each request, because nginx may close connections earlier.
    Client client(port);
    const Answer answer = client.ask(request(with_id(file_target(steps[i]), "any"), steps[i].form, port));
    if (answer.status != 200 || answer.body != bodies[i])
      throw std::runtime_error(fmt::format("nginx sends another body for {}", Load::file(steps[i].file)));
  }
}

}  // namespace tapedeck::bench
