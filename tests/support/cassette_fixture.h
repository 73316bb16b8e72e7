#pragma once
// Creates cassettes for tests with the product's own parts: Scrubber, CassetteWriter, and finish().
//
//   const auto cassette = cassette_with({record("SVC.Core.Network/1/get", R"({"data":{},"success":true})")});
//   CassetteReader reader(cassette.path());

#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cassettes/finish/finish.h"
#include "cassettes/write/cassette_writer.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::testing {

/// A temporary folder, which is removed with the object.
class TestFolder {
 public:
  TestFolder() : path_((std::filesystem::temp_directory_path() / "tapedeck-test-XXXXXX").string()) {
    if (!mkdtemp(path_.data())) throw std::runtime_error("no folder for the test");
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

/// One interaction to record. The functions change what is unusual in it.
struct Recorded {
  api::Interaction interaction;
  bool timed = false;

  /// Sets the times in microseconds since 1970. Otherwise interactions follow each other after a millisecond.
  Recorded at(std::int64_t started_us, std::int64_t ended_us) && {
    interaction.started_us = started_us;
    interaction.ended_us = ended_us;
    timed = true;
    return std::move(*this);
  }
  Recorded with_status(int status, std::string_view reason) && {
    interaction.response.status = status;
    interaction.response.reason = reason;
    return std::move(*this);
  }
  Recorded with_header(std::string_view name, std::string_view value) && {
    interaction.response.headers.add(name, value);
    return std::move(*this);
  }
  Recorded with_request_header(std::string_view name, std::string_view value) && {
    interaction.request.headers.add(name, value);
    return std::move(*this);
  }
  Recorded with_form(std::string_view body) && {
    interaction.request.method = "POST";
    interaction.request.headers.set("Content-Type", "application/x-www-form-urlencoded");
    interaction.request.body = body;
    return std::move(*this);
  }
  Recorded in_scope(std::string_view name, std::uint32_t run = 1) && {
    interaction.scope = name;
    interaction.run = run;
    return std::move(*this);
  }
  Recorded broken(std::string_view reason) && {
    interaction.completeness = api::Completeness::broken;
    interaction.reason = reason;
    return std::move(*this);
  }
  Recorded withheld(std::string_view reason) && {
    interaction.completeness = api::Completeness::withheld;
    interaction.reason = reason;
    return std::move(*this);
  }
};

/// Creates an interaction with a target exactly as it is sent.
inline Recorded record_target(std::string_view verb, std::string_view target, std::string_view answer) {
  Recorded recorded;
  recorded.interaction.request.method = verb;
  recorded.interaction.request.target = target;
  recorded.interaction.response.headers.add("Content-Type", "application/json; charset=\"UTF-8\"");
  recorded.interaction.response.body = answer;
  return recorded;
}

/// Returns the target of a call that is written like its key: "SVC.Core.Network/1/get?items=ALL".
inline std::string target_of(std::string_view call, std::string_view sid = {}) {
  const std::size_t query = std::min(call.find('?'), call.size());
  const std::string_view name = call.substr(0, query);
  const std::size_t first = name.find('/'), second = name.rfind('/');
  if (first == std::string_view::npos || first == second) throw std::invalid_argument("API/version/method is expected");
  std::string target = "/webapi/entry.cgi?api=" + std::string(name.substr(0, first)) +
                       "&version=" + std::string(name.substr(first + 1, second - first - 1)) +
                       "&method=" + std::string(name.substr(second + 1));
  if (query < call.size()) target += '&';
  for (const char c : call.substr(std::min(query + 1, call.size()))) {
    if (std::string_view("\"[]{}, <>").find(c) == std::string_view::npos) {
      target += c;
    } else {
      constexpr std::string_view digits = "0123456789ABCDEF";
      target += {'%', digits[static_cast<unsigned char>(c) >> 4], digits[static_cast<unsigned char>(c) & 15]};
    }
  }
  if (!sid.empty()) target += "&_sid=" + std::string(sid);
  return target;
}

/// Creates a GET of a call, in the session `sid` unless that is empty.
inline Recorded record(std::string_view call, std::string_view answer, std::string_view sid = {}) {
  return record_target("GET", target_of(call, sid), answer);
}

/// Creates a login that starts the session `sid`.
inline Recorded login(std::string_view account, std::string_view sid) {
  return record("SVC.API.Auth/6/login?account=" + std::string(account) + "&passwd=Zx9-fixture-pass!7&format=sid",
                R"({"data":{"sid":")" + std::string(sid) + R"("},"success":true})");
}

inline constexpr std::string_view ok = R"({"success":true})";
/// Returns `{"error":{"code":N},"success":false}`.
inline std::string error(int code) { return R"({"error":{"code":)" + std::to_string(code) + R"(},"success":false})"; }

/// 2024-01-01 00:00:00 UTC.
inline constexpr std::int64_t fixture_start_us = 1'704'067'200'000'000;

inline cassettes::Take fixture_take() {
  cassettes::Take take;
  take.tool_version = "0.0-test";
  take.scrub_policy = scrubbers::RuleSet::defaults().fingerprint();
  take.started_us = fixture_start_us;
  return take;
}

/// Fills in missing times.
inline std::vector<Recorded> timed(std::vector<Recorded> rows) {
  std::int64_t next = fixture_start_us;
  for (Recorded& row : rows) {
    next += 1000;
    if (!row.timed) row = std::move(row).at(next, next + 500);
  }
  return rows;
}

/// Returns a writer that has stored the rows, with their times unchanged.
inline std::unique_ptr<cassettes::CassetteWriter> writer_with(const std::string& path,
                                                              const std::vector<Recorded>& rows,
                                                              scrubbers::Scrubber& scrubber,
                                                              const cassettes::Take& take = fixture_take()) {
  static_cast<void>(cassettes::finish_leftover(path));
  auto writer = std::make_unique<cassettes::CassetteWriter>(path, take);
  for (const Recorded& row : rows) {
    const std::uint64_t known = scrubber.generation();
    writer->append(scrubber.scrub(row.interaction), nullptr, known);
  }
  writer->flush();
  return writer;
}

/// Options of a scrubber with a fixed number for check values, so that equal takes are stored as equal bytes.
inline scrubbers::ScrubberOptions fixture_scrubber() {
  scrubbers::ScrubberOptions options;
  options.account_key = 1;
  return options;
}

/// Records and finishes one take at this path. Throws if that fails.
inline cassettes::FinishReport record_take(const std::string& path, std::vector<Recorded> rows,
                                           const cassettes::Take& take = fixture_take()) {
  scrubbers::Scrubber scrubber(fixture_scrubber());
  auto writer = writer_with(path, timed(std::move(rows)), scrubber, take);
  if (writer->stats().not_recorded > 0) throw std::runtime_error("the fixture's cassette lacks interactions");
  cassettes::FinishOptions options;
  options.scrubber = &scrubber;
  cassettes::FinishReport report = cassettes::finish(std::move(writer), options);
  if (!report.finished) throw std::runtime_error("the fixture's cassette was not finished: " + report.failure);
  return report;
}

/// A finished cassette in a separate folder.
class TestCassette {
 public:
  TestCassette() : folder_(std::make_unique<TestFolder>()) {}
  [[nodiscard]] std::string path() const { return folder_->file("test.cassette"); }
  [[nodiscard]] const TestFolder& folder() const { return *folder_; }

 private:
  std::unique_ptr<TestFolder> folder_;
};

inline TestCassette cassette_with(std::vector<Recorded> rows, const cassettes::Take& take = fixture_take()) {
  TestCassette cassette;
  record_take(cassette.path(), std::move(rows), take);
  return cassette;
}

}  // namespace tapedeck::testing
