#include "cli/running/junit_file.h"

#include <optional>

#include "base/text.h"
#include "base/utf8.h"

namespace tapedeck::cli {
namespace {

/// Returns the text of an entity, or nothing if XML does not define it.
std::optional<std::string> entity(std::string_view name) {
  static const std::map<std::string_view, const char*> named = {
      {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}};
  if (const auto found = named.find(name); found != named.end()) return found->second;
  if (!name.starts_with('#')) return std::nullopt;
  const bool is_hex = name.starts_with("#x");
  const auto point = base::whole_number<std::uint32_t>(name.substr(is_hex ? 2 : 1), is_hex ? 16 : 10);
  if (!point || *point == 0 || *point > 0x10ffff) return std::nullopt;
  std::string out(4, '\0');
  out.resize(base::put_utf8(*point, out.data()));
  return out;
}

std::string decoded(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.front() == '&' ? text.find(';') : std::string_view::npos;
    const auto meant = end == std::string_view::npos ? std::nullopt : entity(text.substr(1, end - 1));
    out += meant ? *meant : std::string(1, text.front());
    text.remove_prefix(meant ? end + 1 : 1);
  }
  return out;
}

struct Tag {
  std::string_view name;  ///< "/testcase" for an end tag
  std::string_view attributes;
  bool is_whole = false;  ///< "<a/>"
};

/// Iterates over the tags of a document and skips the text between them.
class Tags {
 public:
  explicit Tags(std::string_view text) : rest_(text) {}

  std::optional<Tag> next() {
    while (true) {
      const std::size_t begin = rest_.find('<');
      if (begin == std::string_view::npos) return std::nullopt;
      rest_.remove_prefix(begin);
      if (skip("<!--", "-->") || skip("<![CDATA[", "]]>") || skip("<?", "?>") || skip("<!", ">")) continue;
      return tag();
    }
  }

 private:
  bool skip(std::string_view opening, std::string_view closing) {
    if (!rest_.starts_with(opening)) return false;
    const std::size_t end = rest_.find(closing, opening.size());
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + closing.size());
    return true;
  }
  Tag tag() {
    std::size_t end = 1;
    for (char quote = '\0'; end < rest_.size() && (quote != '\0' || rest_[end] != '>'); ++end) {
      const char c = rest_[end];
      if (quote == '\0' ? c == '"' || c == '\'' : c == quote) quote = quote == '\0' ? c : '\0';
    }
    std::string_view inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    Tag tag;
    tag.is_whole = inside.ends_with('/');
    if (tag.is_whole) inside.remove_suffix(1);
    const std::size_t name_end = std::min(inside.find_first_of(" \t\r\n"), inside.size());
    tag.name = inside.substr(0, name_end);
    tag.attributes = inside.substr(name_end);
    return tag;
  }

  std::string_view rest_;
};

std::string attribute(std::string_view attributes, std::string_view wanted) {
  constexpr std::string_view white = " \t\r\n";
  while (true) {
    attributes = base::trim(attributes, white);
    const std::size_t equals = attributes.find('=');
    if (equals == std::string_view::npos) return {};
    const std::string_view name = base::trim(attributes.substr(0, equals), white);
    attributes = base::trim(attributes.substr(equals + 1), white);
    if (attributes.empty()) return {};
    const std::size_t end = attributes.find(attributes.front(), 1);
    if (end == std::string_view::npos) return {};
    if (name == wanted) return decoded(attributes.substr(1, end - 1));
    attributes.remove_prefix(end + 1);
  }
}

}  // namespace

TestResults junit_results(std::string_view xml) {
  TestResults results;
  Tags tags(xml);
  std::string test;
  while (const auto tag = tags.next()) {
    if (tag->name == "testcase") {
      const std::string group = attribute(tag->attributes, "classname"), name = attribute(tag->attributes, "name");
      test = group.empty() ? name : group + "." + name;
      results.emplace(test, false);
      if (tag->is_whole) test.clear();
    } else if (tag->name == "/testcase") {
      test.clear();
    } else if ((tag->name == "failure" || tag->name == "error") && !test.empty()) {
      results[test] = true;
    }
  }
  return results;
}

std::string path_of_run(std::string path, unsigned run) {
  base::replace_all(path, "{run}", std::to_string(run));
  return path;
}

}  // namespace tapedeck::cli
