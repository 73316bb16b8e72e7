#include "tools/curl_command.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "api/scope_name.h"
#include "base/base64.h"
#include "base/shell_word.h"
#include "base/utf8.h"
#include "http/message/head_scanner.h"
#include "tools/content/marks.h"
#include "tools/content/plain_text.h"

namespace tapedeck::tools {
namespace {

using scrubbers::Part;
using scrubbers::Redaction;

std::string_view variable_of(const Redaction& row) {
  const std::string_view value = session_value(row);
  if (value.empty()) return {};
  return value == "session.id" ? "SID" : value == "session.token" ? "TOKEN" : "DEVICE_ID";
}

/// Builds a quoted word for a shell.
class Word {
 public:
  /// Adds a text. Writes characters that change the terminal with printf, so that the command displays correctly.
  void text(std::string_view text) {
    while (!text.empty()) {
      const base::Utf8Front front = base::utf8_front(text);
      const std::size_t length = std::max<std::size_t>(front.length, 1);
      const bool is_shown =
          front.length > 0 && (text[0] == '\n' || text[0] == '\t' || !base::turns_or_breaks(front.code_point));
      if (is_shown) {
        out_ += base::within_quotes(text.substr(0, length));
      } else {
        out_ += "'\"$(printf '";
        for (const char c : text.substr(0, length)) append_octal(static_cast<unsigned char>(c));
        out_ += "')\"'";
      }
      text.remove_prefix(length);
    }
  }
  void variable(std::string_view name) { out_.append("'\"${").append(name).append("}\"'"); }
  [[nodiscard]] std::string take() && { return "'" + out_ + "'"; }

 private:
  void append_octal(unsigned byte) {
    out_ += '\\';
    for (const unsigned shift : {6u, 3u, 0u}) out_ += static_cast<char>('0' + (byte >> shift & 7));
  }

  std::string out_;
};

/// Adds a part of a text, with shell variables in place of session values. `other` converts other placeholders.
template <class Other>
void append_words(Word& word, std::string_view text, std::size_t begin, std::size_t end,
                  const std::vector<Redaction>& rows, const Other& other) {
  std::size_t done = begin;
  for (const Redaction& row : rows) {
    if (row.offset < done || row.offset + row.length > end) continue;
    word.text(text.substr(done, row.offset - done));
    const std::string_view variable = variable_of(row);
    if (variable.empty()) {
      word.text(other(text.substr(row.offset, row.length)));
    } else {
      word.variable(variable);
    }
    done = row.offset + row.length;
  }
  word.text(text.substr(done, end - done));
}

std::string as_it_is(std::string_view text) { return std::string(text); }

std::string url_escaped(std::string_view placeholder) {
  return percent_encoded(placeholder, [](char c) { return c != '<' && c != '>'; });
}

std::string header_words(const scrubbers::InteractionRecord& record) {
  const std::string text = record.request.headers.to_text();
  const std::vector<Redaction> rows = rows_of(record.redactions, Part::request_headers);
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find("\r\n", begin), text.size());
    Word word;
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (line.ends_with(": ")) {
      word.text(std::string(line.substr(0, line.size() - 2)) + ";");  // with a colon, curl leaves the header out
    } else {
      append_words(word, text, begin, end, rows, as_it_is);
    }
    out += " -H " + std::move(word).take();
    begin = end + 2;
  }
  return out;
}

bool has_control(std::string_view text) { return !std::all_of(text.begin(), text.end(), http::is_field_byte); }

/// Throws std::invalid_argument if curl would not take a part of the request literally, but as a host or a file name.
void check(const http::Request& request) {
  const bool is_path = request.target.starts_with('/') && !has_control(request.target) &&
                       request.target.find_first_of(" \t#") == std::string::npos;
  if (!is_path) throw std::invalid_argument("its target is not a path with a query");
  if (!http::is_token(request.method)) throw std::invalid_argument("its method is malformed");
  for (const http::Header& line : request.headers) {
    if (!http::is_token(line.name) || has_control(line.value)) {
      throw std::invalid_argument("one of its header lines is malformed");
    }
  }
}

}  // namespace

std::string curl_command(const scrubbers::InteractionRecord& record) {
  const http::Request& request = record.request;
  check(request);
  const bool is_binary = !is_plain_text(request.body);
  std::string out = is_binary ? "printf %s '" + base::base64_form(request.body) + "' | base64 -d | curl" : "curl";
  out += " -sSg --path-as-is";
  if (request.method == "HEAD") {
    out += " -I";
  } else if (request.method != "GET" || !request.body.empty()) {
    Word verb;
    verb.text(request.method);
    out += " -X " + std::move(verb).take();
  }
  out += header_words(record);
  if (!record.scope.empty()) {
    Word scope;
    scope.text(std::string(api::scope_header) + ": " + api::ScopeName{record.scope, 1}.text());
    out += " -H " + std::move(scope).take();
  }
  if (!request.body.empty() && !request.headers.contains("Content-Type")) out += " -H 'Content-Type:'";
  if (is_binary) {
    out += " --data-binary @-";
  } else if (!request.body.empty()) {
    Word body;
    append_words(body, request.body, 0, request.body.size(), rows_of(record.redactions, Part::request_body), as_it_is);
    out += " --data-raw " + std::move(body).take();
  }
  Word target;
  append_words(target, request.target, 0, request.target.size(), rows_of(record.redactions, Part::request_target),
               url_escaped);
  return out + " \"${TAPEDECK_URL:-http://127.0.0.1:8080}\"" + std::move(target).take();
}

}  // namespace tapedeck::tools
