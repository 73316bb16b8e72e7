#include "tools/content/marks.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"

namespace tapedeck::tools {
namespace {

using scrubbers::Redaction;
using scrubbers::SecretClass;

struct SessionMark {
  std::string_view name;
  SecretClass secret_class;
};
constexpr std::array<SessionMark, 3> session_marks = {{{"session.id", SecretClass::session_id},
                                                       {"session.token", SecretClass::csrf_token},
                                                       {"session.device_id", SecretClass::device_id}}};
constexpr std::string_view redaction_mark = "redaction.", private_mark = "private.";
constexpr std::string_view escaped_brace = "{{{{";
/// The rule of a redaction that an editor added and that matches no existing one.
constexpr const char* edited_rule = "edited";

bool is_of_session(const Redaction& row, SecretClass secret_class) {
  return row.encoding.empty() && !session_value(row).empty() && row.secret_class == secret_class;
}

/// Returns a pseudonym for use inside of a mark, with its braces escaped because they could end the mark.
std::string inside_mark(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '{' || c == '}') out += '{';
    out += c == '{' ? '[' : c == '}' ? ']' : c;
  }
  return out;
}

std::string outside_mark(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_brace = text[i] == '{' && i + 1 < text.size();
    out += !is_brace ? text[i] : text[++i] == '[' ? '{' : '}';
  }
  return out;
}

std::string mark_of(const Redaction& row, std::size_t number, std::string_view stands_there) {
  if (is_of_session(row, row.secret_class)) return "{{" + std::string(session_value(row)) + "}}";
  if (row.secret_class == SecretClass::private_data) {
    return "{{" + std::string(private_mark) + std::to_string(number) + "|" + inside_mark(stands_there) + "}}";
  }
  return "{{" + std::string(redaction_mark) + std::string(to_string(row.secret_class)) + "." + std::to_string(number) +
         "}}";
}

/// Appends a text. Escapes each opening brace that is next to another, so that none of them can begin a mark.
void append_escaped(std::string& out, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of('{', at), text.size());
    const std::size_t braces = end - at;
    if (braces == 1) out += '{';
    if (braces > 1) {
      for (std::size_t i = 0; i < braces; ++i) out += escaped_brace;
    }
    const std::size_t next = std::min(text.find('{', end), text.size());
    out.append(text, end, next - end);
    at = next;
  }
}

/// Returns the number of a redaction, from 1, or nothing if the text is not one.
std::optional<std::size_t> number_in(std::string_view digits) {
  const auto number = base::whole_number<std::size_t>(digits);
  return number == 0u ? std::nullopt : number;
}

class Reader {
 public:
  Reader(scrubbers::Part part, std::span<const Redaction> rows) : part_(part), rows_(rows) {}

  Unmarked read(std::string_view marked) {
    for (std::size_t at = 0; at < marked.size();) {
      const std::string_view here = marked.substr(at);
      if (here.starts_with(escaped_brace)) {
        out_.text += '{';
        at += escaped_brace.size();
      } else if (const std::size_t length = here.starts_with("{{") ? take_mark(here) : 0; length > 0) {
        at += length;
      } else if (!problem_.empty()) {
        throw EditError("at byte " + std::to_string(at) + ": " + problem_);
      } else {
        out_.text += marked[at++];
      }
    }
    return std::move(out_);
  }

 private:
  /// Reads the mark at the beginning. Returns its length, or 0 if it is not a mark.
  std::size_t take_mark(std::string_view here) {
    const std::size_t end = here.find("}}");
    if (end == std::string_view::npos) return 0;
    const std::string_view name = here.substr(2, end - 2);
    const bool taken = take_session(name) || take_redaction(name) || take_private(name);
    return taken ? end + 2 : 0;
  }

  bool take_session(std::string_view name) {
    const auto mark = std::find_if(session_marks.begin(), session_marks.end(),
                                   [&](const SessionMark& one) { return one.name == name; });
    if (mark == session_marks.end()) return false;
    put(own_row(mark->secret_class), placeholder(mark->secret_class));
    return true;
  }

  /// Returns the next row of the class. After the last one, returns it again. Without any, returns a new row.
  Redaction own_row(SecretClass secret_class) {
    Redaction found;
    found.secret_class = secret_class;
    found.whose = scrubbers::Whose::own;
    found.rule = edited_rule;
    std::size_t wanted = taken_[secret_class]++ + 1;
    for (const Redaction& row : rows_) {
      if (!is_of_session(row, secret_class)) continue;
      found = row;
      if (--wanted == 0) break;
    }
    return found;
  }

  bool take_redaction(std::string_view name) {
    if (!name.starts_with(redaction_mark)) return false;
    name.remove_prefix(redaction_mark.size());
    const std::size_t dot = name.rfind('.');
    const auto number = dot == std::string_view::npos ? std::nullopt : number_in(name.substr(dot + 1));
    if (!number) return false;
    const Redaction* row = numbered(*number);
    if (!row || to_string(row->secret_class) != name.substr(0, dot)) {
      problem_ = "no such redaction: " + std::string(name) + " in the recorded text";
      return false;
    }
    put(*row, placeholder(row->secret_class));
    return true;
  }

  bool take_private(std::string_view name) {
    if (!name.starts_with(private_mark)) return false;
    name.remove_prefix(private_mark.size());
    const std::size_t bar = name.find('|');
    const auto number = bar == std::string_view::npos ? std::nullopt : number_in(name.substr(0, bar));
    if (!number) return false;
    const Redaction* row = numbered(*number);
    if (!row || row->secret_class != SecretClass::private_data) {
      problem_ = "no such private value: " + std::to_string(*number) + " in the recorded text";
      return false;
    }
    put(*row, outside_mark(name.substr(bar + 1)));
    return true;
  }

  [[nodiscard]] const Redaction* numbered(std::size_t number) const {
    return number <= rows_.size() ? &rows_[number - 1] : nullptr;
  }

  void put(Redaction row, std::string_view text) {
    row.part = part_;
    row.offset = out_.text.size();
    row.length = text.size();
    out_.text += text;
    out_.rows.push_back(std::move(row));
  }

  scrubbers::Part part_;
  std::span<const Redaction> rows_;
  std::map<SecretClass, std::size_t> taken_;
  Unmarked out_;
  std::string problem_;
};

}  // namespace

std::string_view session_value(const Redaction& row) {
  if (row.whose != scrubbers::Whose::own || row.ordinal != 0) return {};
  const auto found = std::find_if(session_marks.begin(), session_marks.end(),
                                  [&](const SessionMark& mark) { return mark.secret_class == row.secret_class; });
  return found == session_marks.end() ? std::string_view() : found->name;
}

std::string with_marks(std::string_view text, std::span<const Redaction> rows) {
  std::string out;
  std::size_t done = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    append_escaped(out, text.substr(done, rows[i].offset - done));
    out += mark_of(rows[i], i + 1, text.substr(rows[i].offset, rows[i].length));
    done = rows[i].offset + rows[i].length;
  }
  append_escaped(out, text.substr(done));
  return out;
}

std::string marked_body(const scrubbers::InteractionRecord& record) {
  return with_marks(record.response.body, rows_of(record.redactions, scrubbers::Part::response_body));
}

Unmarked without_marks(std::string_view marked, scrubbers::Part part, std::span<const Redaction> rows) {
  return Reader(part, rows).read(marked);
}

std::string with_marks_for_placeholders(std::string_view text, std::string_view old_text,
                                        std::span<const Redaction> rows) {
  // For each placeholder, its places in the old text: the row of each, or nothing if the text only looks like it.
  std::map<std::string, std::vector<std::optional<std::size_t>>, std::less<>> places;
  for (const Redaction& row : rows) {
    const std::string word = placeholder(row.secret_class);
    if (places.contains(word)) continue;
    for (std::size_t at = old_text.find(word); at != std::string_view::npos; at = old_text.find(word, at + 1)) {
      const auto here = std::find_if(rows.begin(), rows.end(), [&](const Redaction& one) { return one.offset == at; });
      const bool is_row = here != rows.end() && here->length == word.size();
      places[word].push_back(is_row ? std::optional(static_cast<std::size_t>(here - rows.begin())) : std::nullopt);
    }
  }
  std::map<std::string, std::size_t, std::less<>> counted;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '<') {
      const std::size_t next = std::min(text.find('<', at), text.size());
      out.append(text, at, next - at);
      at = next;
      continue;
    }
    const auto place = std::find_if(places.begin(), places.end(),
                                    [&](const auto& one) { return text.substr(at).starts_with(one.first); });
    if (place == places.end()) {
      out += text[at++];
      continue;
    }
    const std::size_t nth = counted[place->first]++;
    const auto row = nth < place->second.size() ? place->second[nth] : place->second.back();
    out += row ? mark_of(rows[*row], *row + 1, place->first) : place->first;
    at += place->first.size();
  }
  return out;
}

std::vector<Redaction> rows_of(const std::vector<Redaction>& rows, scrubbers::Part part) {
  std::vector<Redaction> found;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(found),
               [&](const Redaction& row) { return row.part == part; });
  return found;
}

namespace {

std::string mark_name(const Redaction& row) {
  if (const std::string_view name = session_value(row); !name.empty()) return std::string(name);
  std::string name(to_string(row.secret_class));
  name += "." + std::to_string(row.ordinal);
  if (row.whose == scrubbers::Whose::own) name += ".own";
  if (row.whose == scrubbers::Whose::another) name += ".session-" + std::to_string(row.owner);
  return name;
}

}  // namespace

std::string with_places(std::string_view text, std::span<const Redaction> rows, const PutPlace& put) {
  std::string out;
  std::size_t done = 0;
  for (const Redaction& row : rows) {
    out += text.substr(done, row.offset - done);
    put(out, row, text.substr(row.offset, row.length));
    done = row.offset + row.length;
  }
  return out.append(text.substr(done));
}

scrubbers::InteractionRecord with_places(const scrubbers::InteractionRecord& record, const PutPlace& put) {
  using scrubbers::Part;
  scrubbers::InteractionRecord replaced = record;
  const auto replace = [&](Part part, std::string& text) {
    text = with_places(std::string(text), rows_of(record.redactions, part), put);
  };
  const auto replace_headers = [&](Part part, http::Headers& headers) {
    std::string text = headers.to_text();
    replace(part, text);
    headers = http::Headers::from_text(text);
  };
  replace(Part::request_target, replaced.request.target);
  replace_headers(Part::request_headers, replaced.request.headers);
  replace(Part::request_body, replaced.request.body);
  replace(Part::response_reason, replaced.response.reason);
  replace_headers(Part::response_headers, replaced.response.headers);
  replace(Part::response_body, replaced.response.body);
  return replaced;
}

scrubbers::InteractionRecord marked_for_review(const scrubbers::InteractionRecord& record) {
  return with_places(record, [](std::string& out, const Redaction& row, std::string_view there) {
    if (row.secret_class == SecretClass::private_data) {
      out += there;
    } else {
      out.append("{{").append(mark_name(row)).append("}}");
    }
  });
}

}  // namespace tapedeck::tools
