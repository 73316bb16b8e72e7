#include "replay/overlays/overlay_reader.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "api/envelope.h"
#include "api/json_spans.h"
#include "api/json_splice.h"
#include "base/descriptor.h"
#include "base/digest.h"
#include "base/utf8.h"
#include "http/message/content_type.h"
#include "http/message/head_scanner.h"
#include "http/message/hop_by_hop.h"
#include "http/message/urlencoded.h"
#include "replay/overlays/overlay_owner.h"

namespace tapedeck::replay {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const OverlayMember* find(const OverlayBlock& block, std::string_view name) {
  const auto found = std::find_if(block.members.begin(), block.members.end(),
                                  [name](const OverlayMember& member) { return member.name == name; });
  return found == block.members.end() ? nullptr : &*found;
}

struct ContainedFile {
  std::string path;
  std::string bytes;
};

/// Reads `name` below `folder`. Throws std::invalid_argument, with a text that follows the member's name, if it is an
/// absolute path, leads out of the folder (by ".." or a link), or is not a regular file of up to 64 MiB.
ContainedFile contained_file(const fs::path& folder, const std::string& name) {
  constexpr std::uintmax_t largest = 64u << 20;
  if (name.empty() || fs::path(name).is_absolute()) {
    throw std::invalid_argument("must be the path of a file in the overlay's folder: " + name);
  }
  std::error_code failed;
  const fs::path root = fs::canonical(folder.empty() ? fs::path(".") : folder, failed);
  const fs::path path = failed ? fs::path() : fs::canonical(root / name, failed);
  if (failed) throw std::invalid_argument("refers to a missing file: " + name);
  if (std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first != root.end()) {
    throw std::invalid_argument("leads out of the overlay's folder: " + name);
  }
  const std::uintmax_t size = fs::is_regular_file(path, failed) ? fs::file_size(path, failed) : largest + 1;
  if (size > largest || failed) {
    throw std::invalid_argument("must name a regular file of at most 64 MiB: " + name);
  }
  auto bytes = base::read_file(path);
  if (!bytes) throw std::invalid_argument("refers to an unreadable file: " + name);
  return {path.string(), *std::move(bytes)};
}

bool is_text(std::string_view bytes) { return base::is_utf8(bytes) && bytes.find('\0') == std::string_view::npos; }

bool has_controls(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return (c >= '\0' && c < ' ') || c == '\x7f'; });
}

std::string fingerprint_of(const OverlayBlock& block) {
  std::string all;
  for (const OverlayMember& member : block.members)
    all.append(member.name).append("=").append(member.json).append("\n");
  return all;
}

/// Reads blocks of one file.
class OverlayReader : private MemberReader {
 public:
  OverlayReader(const std::string& file, const std::optional<fs::path>& folder, std::vector<std::string>& files)
      : MemberReader(file), folder_(folder), files_(files) {}

  [[nodiscard]] Overlay read(const OverlayBlock& block) {
    overlay_ = {};
    overlay_.file = file_;
    overlay_.line = block.line;
    overlay_.fingerprint = fingerprint_of(block);
    overlay_.members = block.members;
    for (const OverlayMember& member : block.members) {
      const Known* const found = known(member.name);
      if (found == nullptr) {
        throw OverlayError(file_, member.line,
                           "unknown key `" + member.name + "` in an overlay; known keys: " + names(false));
      }
      found->read(*this, member);
    }
    check(block);
    if (const OverlayMember* const answers = find(block, "answers")) {
      Overlay whole = std::move(overlay_);
      const auto elements = api::json_elements(answers->json);
      for (const std::string_view element : *elements) {
        Overlay answer = read_answer(whole, *answers, element);
        whole.fingerprint += answer.fingerprint;
        whole.answers.push_back(std::make_shared<const Overlay>(std::move(answer)));
      }
      overlay_ = std::move(whole);
    }
    overlay_.fingerprint = base::to_hex(base::sha256(overlay_.fingerprint));
    return std::move(overlay_);
  }

 private:
  /// What a member of an overlay is for.
  enum class Role { condition, body, head, sending, state };
  struct Known {
    std::string_view name;
    Role role;
    void (*read)(OverlayReader& reader, const OverlayMember& member);

    /// Returns true if the responses in `answers` may have it.
    [[nodiscard]] bool is_of_answers() const {
      return role != Role::condition && role != Role::state && name != "answers";
    }
  };

  static const std::vector<Known>& known() {
    using R = OverlayReader;
    using M = OverlayMember;
    constexpr std::uint64_t most_times = 1'000'000'000;
    static const std::vector<Known> members = {
        {"name", Role::condition, [](R& r, const M& m) { r.read_name(m); }},
        {"call", Role::condition, [](R& r, const M& m) { r.overlay_.call = r.pattern(m); }},
        {"path", Role::condition, [](R& r, const M& m) { r.read_path(m); }},
        {"params", Role::condition, [](R& r, const M& m) { r.overlay_.params = r.conditions(m); }},
        {"exact", Role::condition, [](R& r, const M& m) { r.overlay_.exact = r.truth(m); }},
        {"account", Role::condition, [](R& r, const M& m) { r.overlay_.account = overlay_account_of(r.text(m)); }},
        {"scope", Role::condition, [](R& r, const M& m) { r.overlay_.scope = r.scope_name(m); }},
        {"state", Role::condition, [](R& r, const M& m) { r.overlay_.state = r.text(m); }},
        {"after", Role::condition, [](R& r, const M& m) { r.overlay_.after = r.pattern(m); }},
        {"times", Role::condition, [](R& r, const M& m) { r.overlay_.times = r.number(m, 1, most_times); }},
        {"skip", Role::condition, [](R& r, const M& m) { r.overlay_.skip = r.number(m, 0, most_times); }},
        {"data", Role::body, [](R& r, const M& m) { r.set_json(api::success_envelope(r.json_text(m).text())); }},
        {"error", Role::body, [](R& r, const M& m) { r.read_error(m); }},
        {"json", Role::body, [](R& r, const M& m) { r.set_json(r.text(m)); }},
        {"file", Role::body, [](R& r, const M& m) { r.read_file(m); }},
        {"patch", Role::body, [](R& r, const M& m) { r.read_patch(m); }},
        {"merge", Role::body, [](R& r, const M& m) { r.overlay_.merge = r.json_text(m); }},
        {"status", Role::head, [](R& r, const M& m) { r.overlay_.status = static_cast<int>(r.number(m, 200, 599)); }},
        {"headers", Role::head, [](R& r, const M& m) { r.read_headers(m); }},
        {"delay", Role::sending, [](R& r, const M& m) { r.read_delay(m); }},
        {"hold", Role::sending, [](R& r, const M& m) { r.overlay_.hold = r.truth(m); }},
        {"fault", Role::sending, [](R& r, const M& m) { r.read_fault(m); }},
        {"cut", Role::sending, [](R& r, const M& m) { r.read_cut(m); }},
        {"cut_after", Role::sending, [](R& r, const M& m) { r.overlay_.cut_after = r.number(m, 1, most_times); }},
        {"then", Role::state, [](R& r, const M& m) { r.overlay_.then = r.text(m); }},
        {"answers", Role::body, [](R& r, const M& m) { r.check_list(m); }},
        {"at_end", Role::condition, [](R& r, const M& m) { r.read_at_end(m); }},
    };
    return members;
  }

  /// Returns null for an unknown name.
  static const Known* known(std::string_view name) {
    const auto found =
        std::find_if(known().begin(), known().end(), [name](const Known& one) { return one.name == name; });
    return found == known().end() ? nullptr : &*found;
  }

  /// Returns the known names, or only those of the responses in `answers`.
  static std::string names(bool of_answers) {
    std::string names;
    for (const Known& one : known()) {
      if (!of_answers || one.is_of_answers()) names.append(names.empty() ? "" : ", ").append(one.name);
    }
    return names;
  }

  /// Reads one element of `answers`. Returns the current overlay with this response.
  [[nodiscard]] Overlay read_answer(const Overlay& base, const OverlayMember& list, std::string_view element) {
    const auto members = api::json_members(element);
    if (!members || members->empty())
      fail(list, "must be a list of responses, as in [ { data = {} }, { error = 407 } ]");
    overlay_ = base;
    OverlayBlock block{base.line, {}};
    for (const api::JsonMember& one : *members) {
      const OverlayMember member{api::json_key(one.key), std::string(one.value), list.line};
      const Known* const found = known(member.name);
      if (found == nullptr || !found->is_of_answers()) {
        fail(list, "has a response with an unknown key `" + member.name + "`; known keys: " + names(true));
      }
      found->read(*this, member);
      block.members.push_back(member);
    }
    check_answers(block);
    check_fault(block);
    return std::move(overlay_);
  }

  void set_body(TemplateText body, std::string_view content_type) {
    overlay_.body = std::make_shared<const TemplateText>(std::move(body));
    overlay_.content_type = content_type;
  }

  void set_json(std::string body) {
    set_body(TemplateText(std::move(body), TemplateText::Kind::json), api::json_content_type);
  }

  void read_name(const OverlayMember& member) {
    constexpr std::size_t longest = 200;
    overlay_.name = text(member);
    if (overlay_.name.empty() || overlay_.name.size() > longest || has_controls(overlay_.name)) {
      fail(member, "must have 1 to 200 bytes and no control characters");
    }
  }

  void read_cut(const OverlayMember& member) {
    overlay_.cut = number(member, 0, 1'000'000'000);
    if (!overlay_.fault) overlay_.fault = Fault::cut;
  }

  void check_list(const OverlayMember& member) const {
    const auto elements = api::json_elements(member.json);
    if (!elements || elements->empty()) fail(member, "must be a list with at least one response");
  }

  void read_at_end(const OverlayMember& member) {
    const std::string name = text(member);
    if (name != "stick" && name != "loop" && name != "pass") fail(member, "must be stick, loop, or pass");
    overlay_.at_end = name == "stick" ? AnswersEnd::stick : name == "loop" ? AnswersEnd::loop : AnswersEnd::pass;
  }

  void read_path(const OverlayMember& member) {
    const std::string line = text(member);
    const std::size_t space = line.find(' ');
    const std::string path = space == std::string::npos ? "" : line.substr(space + 1);
    if (!http::is_token(std::string_view(line).substr(0, space)) || !path.starts_with('/') || has_controls(path) ||
        path.find_first_of(" ?#") != std::string::npos) {
      fail(member, "must be a verb and a path without a query, as in \"GET /webman/3rdparty/x.cgi\"");
    }
    overlay_.verb = line.substr(0, space);
    overlay_.path = http::percent_decode(path, false);
  }

  void read_error(const OverlayMember& member) {
    OverlayMember code = member;
    std::string errors;
    if (const auto members = api::json_members(member.json)) {
      code.json.clear();
      for (const api::JsonMember& one : *members) {
        if (one.key != "code" && one.key != "errors")
          fail(member, "has an unknown key `" + std::string(one.key) + "`; known keys: code, errors");
        (one.key == "code" ? code.json : errors) = one.value;
      }
      if (code.json.empty()) fail(member, "needs a `code`");
    }
    const auto error = static_cast<api::ErrorCode>(number(code, 1, 1'000'000));
    set_body(TemplateText(api::error_envelope(error, errors), TemplateText::Kind::bytes), api::json_content_type);
  }

  void read_file(const OverlayMember& member) {
    const std::string name = text(member);
    if (!folder_) fail(member, "is not allowed here: put the response into `data` or `json`");
    try {
      ContainedFile file = contained_file(*folder_, name);
      const std::string_view type = http::content_type_of(name);
      const bool is_json = type.find("json") != std::string_view::npos;
      const auto kind = !is_text(file.bytes) ? TemplateText::Kind::bytes
                        : is_json            ? TemplateText::Kind::json
                                             : TemplateText::Kind::text;
      overlay_.fingerprint.append(base::to_hex(base::sha256(file.bytes)));
      set_body(TemplateText(std::move(file.bytes), kind), type);
      files_.push_back(std::move(file.path));
    } catch (const std::invalid_argument& error) {
      fail(member, error.what());
    }
  }

  void read_patch(const OverlayMember& member) {
    overlay_.patch = json_text(member);
    try {
      api::JsonPatch patch = api::JsonPatch::parse(overlay_.patch->sample());
      if (overlay_.patch->is_plain()) overlay_.ready_patch = std::move(patch);
    } catch (const std::invalid_argument& error) {
      fail(member, std::string("is invalid: ") + error.what());
    }
  }

  void read_headers(const OverlayMember& member) {
    const json table = json::parse(member.json);
    if (!table.is_object()) fail(member, "must be a table of strings");
    for (const auto& [name, value] : table.items()) {
      if (!value.is_string() || !http::is_token(name) || has_controls(value.get<std::string>())) {
        fail(member, "must be a table of strings without control characters");
      }
      if (http::is_servers_own(name) || http::is_our_own(name)) {
        fail(member, "cannot have `" + name + "`: the server sets or removes this header");
      }
      overlay_.headers.push_back({name, value.get<std::string>()});
    }
  }

  void read_delay(const OverlayMember& member) {
    const json value = json::parse(member.json);
    if (value.is_string()) overlay_.delay = parse_delay(value.get<std::string>());
    if (!overlay_.delay) fail(member, R"(must be "800ms", "2s", or "recorded", at most an hour)");
  }

  void read_fault(const OverlayMember& member) {
    constexpr std::array<std::pair<std::string_view, Fault>, 6> faults = {{{"reset", Fault::reset},
                                                                           {"close", Fault::close},
                                                                           {"cut", Fault::cut},
                                                                           {"hang", Fault::hang},
                                                                           {"garbage", Fault::garbage},
                                                                           {"empty", Fault::empty}}};
    const std::string name = text(member);
    const auto found =
        std::find_if(faults.begin(), faults.end(), [&](const auto& fault) { return fault.first == name; });
    if (found == faults.end()) fail(member, "must be reset, close, cut, hang, garbage or empty");
    overlay_.fault = found->second;
  }

  void check(const OverlayBlock& block) const {
    if (overlay_.call.has_value() != overlay_.path.empty()) {
      const OverlayMember* const path = find(block, "path");
      throw OverlayError(file_, path != nullptr ? path->line : block.line,
                         path != nullptr ? "`path` and `call` cannot be used together" : "missing `call` or `path`");
    }
    check_answers(block);
    check_fault(block);
    const OverlayMember* const at_end = find(block, "at_end");
    if (at_end != nullptr && find(block, "answers") == nullptr) fail(*at_end, "requires `answers`");
  }

  void check_answers(const OverlayBlock& block) const {
    const OverlayMember* answer = nullptr;
    bool does_something = false;
    for (const OverlayMember& member : block.members) {
      const Role role = known(member.name)->role;
      const bool is_answer = role == Role::body;
      if (is_answer && answer != nullptr) {
        fail(member, "and `" + answer->name + "` cannot be used together: an overlay has one response");
      }
      if (is_answer) answer = &member;
      does_something = does_something || role != Role::condition;
    }
    if (!does_something) {
      throw OverlayError(
          file_, block.line,
          "the overlay has no effect: add a response (data, error, json, file, patch, merge, answers), status, "
          "headers, delay, hold, fault, cut_after, or then");
    }
  }

  void check_fault(const OverlayBlock& block) const {
    if (!overlay_.fault || overlay_.fault == Fault::cut) return;
    const bool has_head = overlay_.fault == Fault::empty;
    for (const OverlayMember& member : block.members) {
      const Role role = known(member.name)->role;
      const bool is_body = role == Role::body || member.name == "cut", is_head = role == Role::head;
      if (!is_body && (has_head || !is_head)) continue;
      fail(member, "cannot be used with fault " + text(*find(block, "fault")) + ", which never sends it");
    }
  }

  const std::optional<fs::path>& folder_;
  std::vector<std::string>& files_;
  Overlay overlay_;  ///< the overlay that is being read
};

}  // namespace

Overlay read_overlay(const OverlayBlock& block, const std::string& file, const std::optional<fs::path>& folder,
                     std::vector<std::string>& files) {
  return OverlayReader(file, folder, files).read(block);
}

}  // namespace tapedeck::replay
