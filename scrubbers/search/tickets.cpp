#include "scrubbers/search/tickets.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "api/request_params.h"
#include "base/text.h"
#include "http/message/urlencoded.h"
#include "scrubbers/search/credential.h"

namespace tapedeck::scrubbers {
namespace {

constexpr std::size_t longest_ticket = 2048, most_tickets = 1000;

/// Returns true if the last word of a name is one of those under which APIs return tickets: "tid", "dlTicket",
/// "download_link", "tokens". A quote may be before the name.
bool is_ticket_name(std::string_view name) {
  static constexpr std::array<std::string_view, 7> words = {"tid", "ticket", "token", "dlink", "key", "link", "url"};
  std::string_view rest = name;
  if (rest.ends_with('s') || rest.ends_with('S')) rest.remove_suffix(1);
  if (rest.empty()) return false;
  const char last = base::fold(rest.back());  // compared first, because most names end with none of the words
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    if (last != word.back() || rest.size() < word.size()) return false;
    const std::size_t at = rest.size() - word.size();
    if (!base::same_letters(&rest[at], word.data(), word.size())) return false;
    // "tid" is the end of many words.
    return at == 0 || word.size() > 4 || !base::is_alnum(name[at - 1]) ||
           (base::is_upper(name[at]) && base::is_lower(name[at - 1]));
  });
}

/// Returns true if a name in a body is a ticket's, or if escapes could hide one. Most bodies have none, and parsing
/// them would take longer than all other searches.
bool may_offer(std::string_view body) {
  constexpr std::string_view blanks = " \t\r\n";
  if (body.find("\\u") != std::string_view::npos) return true;
  for (std::size_t at = body.find(':'); at != std::string_view::npos; at = body.find(':', at + 1)) {
    const std::size_t quote = body.find_last_not_of(blanks, at == 0 ? 0 : at - 1);
    if (quote != std::string_view::npos && body[quote] == '"' && is_ticket_name(body.substr(0, quote))) return true;
  }
  return false;
}

/// Returns true for "app.3f9a8c7b2d1e.js".
bool has_extension(std::string_view piece) {
  constexpr std::size_t longest_extension = 5;
  const std::size_t dot = piece.rfind('.');
  return dot != std::string_view::npos && piece.size() - dot - 1 <= longest_extension;
}

bool may_be_ticket(std::string_view piece) {
  return piece.size() <= longest_ticket && !has_extension(piece) && looks_like_credential(piece) &&
         has_random_part(piece);
}

/// Calls add(text) for a value, or for each piece of a URL.
template <typename Add>
void each_piece(std::string_view value, const Add& add) {
  if (value.find('/') == std::string_view::npos) return add(std::string(value));
  constexpr std::string_view marks = "/?&=#;";
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t end = std::min(value.find_first_of(marks, at), value.size());
    add(http::percent_decode(value.substr(at, end - at), false));
    at = end + 1;
  }
}

class Offers : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::vector<std::string> found;

  bool key(string_t& name) override {
    is_wanted_ = is_ticket_name(name);
    return true;
  }
  bool string(string_t& value) override {
    if (!is_wanted_) return true;
    each_piece(value, [this](std::string piece) {
      if (found.size() < most_tickets && may_be_ticket(piece)) found.push_back(std::move(piece));
    });
    return true;
  }
  bool end_object() override {
    is_wanted_ = false;
    return true;
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  bool is_wanted_ = false;
};

}  // namespace

std::vector<std::string> offered_tickets(std::string_view body) {
  constexpr std::size_t longest_body = 1u << 20;  // a list, not a ticket
  if (body.size() > longest_body || (!body.starts_with('{') && !body.starts_with('['))) return {};
  if (!may_offer(body)) return {};
  Offers offers;
  static_cast<void>(nlohmann::json::sax_parse(body.begin(), body.end(), &offers));
  return std::move(offers.found);
}

std::vector<std::string> carried_tickets(const http::Request& request, const api::Call* call) {
  std::vector<std::string> carried;
  const auto add = [&carried](std::string_view value) {
    if (carried.size() < most_tickets && may_be_ticket(value)) carried.emplace_back(value);
  };
  const std::vector<api::Param> params = call != nullptr ? call->params() : api::target_params(request, {});
  for (const api::Param& param : params) add(api::without_quotes(param.value));
  if (call == nullptr) {
    for (const api::Param& param : api::body_params(request, {}).value_or(std::vector<api::Param>())) add(param.value);
  }
  std::string_view path = http::split_target(request.target).path;
  while (!path.empty()) add(http::percent_decode(base::take_until(path, '/'), false));
  return carried;
}

}  // namespace tapedeck::scrubbers
