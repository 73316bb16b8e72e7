// curl as a client. Starting the program costs more than most requests, so its library sends what tests send most
// often.

#include <curl/curl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>

#include "tests/support/process.h"

namespace tapedeck::tests {

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

void parse_headers(const std::string& dump, Reply& reply) {
  std::istringstream lines(dump);
  for (std::string line; std::getline(lines, line);) {
    while (!line.empty() && line.back() == '\r') {
      line.pop_back();
    }
    if (line.starts_with("HTTP/")) {
      reply.headers.clear();  // a 100 or a followed redirect before the last response
      continue;
    }
    if (const auto colon = line.find(':'); colon != std::string::npos) {
      const auto value = line.find_first_not_of(' ', colon + 1);
      reply.headers.emplace_back(lower(line.substr(0, colon)), value == std::string::npos ? "" : line.substr(value));
    }
  }
}

/// Runs the program, for what the library is not used for.
Reply curl_program(const std::vector<std::string>& arguments) {
  const TempDir folder;
  std::vector<std::string> argv = {"curl", "-q",
                                   "-sS",  "--noproxy",
                                   "*",    "--max-time",
                                   "20",   "--http1.1",
                                   "-D",   folder / "headers",
                                   "-o",   folder / "body",
                                   "-w",   "%{http_code} %{num_connects}\n"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const Ran ran = run(std::move(argv));
  Reply reply;
  reply.exit = ran.status;
  std::istringstream lines(ran.out);
  for (unsigned connects = 0; lines >> reply.status >> connects;) {
    reply.connects += connects;
  }
  parse_headers(read_file(folder.path() / "headers"), reply);
  reply.body = read_file(folder.path() / "body");
  return reply;
}

/// A command line of which the library does all.
struct Transfer {
  std::string url, method, agent, body;
  std::vector<std::string> headers, parts;
  bool has_body = false, is_compressed = false;
  long seconds = 20;

  void add_to_body(const std::string& text) {
    body += (has_body ? "&" : "") + text;
    has_body = true;
  }
};

/// As --data-urlencode does: "NAME=VALUE", of which the value is encoded.
std::string form_encoded(const std::string& argument) {
  const std::size_t name_end = argument.find('=');
  const std::string value = name_end == std::string::npos ? argument : argument.substr(name_end + 1);
  const std::unique_ptr<char, decltype(&curl_free)> escaped(
      curl_easy_escape(nullptr, value.data(), static_cast<int>(value.size())), curl_free);
  std::string text = escaped.get();
  for (std::size_t at = text.find("%20"); at != std::string::npos; at = text.find("%20", at)) text.replace(at, 3, "+");
  const bool has_name = name_end != std::string::npos && name_end > 0;
  return (has_name ? argument.substr(0, name_end + 1) : "") + text;
}

/// Applies one option. Returns false if only the program knows it.
bool apply(Transfer& transfer, const std::string& option, const std::string& value) {
  const bool names_file = value.starts_with('@');
  if (option == "-H" && !names_file) {
    transfer.headers.push_back(value);
  } else if ((option == "-d" || option == "--data" || option == "--data-binary") && !names_file) {
    transfer.add_to_body(value);
  } else if (option == "--data-binary") {
    transfer.add_to_body(read_file(value.substr(1)));
  } else if (option == "--data-urlencode" && value.find('@') == std::string::npos) {
    transfer.add_to_body(form_encoded(value));
  } else if (option == "-F" && value.find_first_of("@<;\"") == std::string::npos) {
    transfer.parts.push_back(value);
  } else if (option == "-A") {
    transfer.agent = value;
  } else if (option == "-X") {
    transfer.method = value;
  } else if (option == "--max-time") {
    transfer.seconds = std::stol(value);
  } else {
    return false;
  }
  return true;
}

/// Returns nothing for what only the program can do: TLS, several URLs, and rare options.
std::optional<Transfer> transfer_of(const std::vector<std::string>& arguments) {
  Transfer transfer;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--compressed") {
      transfer.is_compressed = true;
    } else if (argument.starts_with('-')) {
      if (i + 1 == arguments.size() || !apply(transfer, argument, arguments[i + 1])) return std::nullopt;
      ++i;
    } else if (transfer.url.empty() && argument.starts_with("http://") &&
               argument.find_first_of("[]{} ") == std::string::npos) {
      transfer.url = argument;
    } else {
      return std::nullopt;
    }
  }
  if (transfer.url.empty() || (transfer.has_body && !transfer.parts.empty())) return std::nullopt;
  return transfer;
}

std::size_t append(char* bytes, std::size_t size, std::size_t count, void* text) {
  static_cast<std::string*>(text)->append(bytes, size * count);
  return size * count;
}

Reply perform(const Transfer& transfer) {
  static const CURLcode is_ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> handle(curl_easy_init(), curl_easy_cleanup);
  CURL* const curl = is_ready == CURLE_OK ? handle.get() : nullptr;
  std::string heads;
  Reply reply;
  curl_slist* lines = nullptr;
  for (const std::string& line : transfer.headers) lines = curl_slist_append(lines, line.c_str());
  const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers(lines, curl_slist_free_all);
  const std::unique_ptr<curl_mime, decltype(&curl_mime_free)> form(curl_mime_init(curl), curl_mime_free);
  for (const std::string& part : transfer.parts) {
    curl_mimepart* const added = curl_mime_addpart(form.get());
    curl_mime_name(added, part.substr(0, part.find('=')).c_str());
    curl_mime_data(added, part.c_str() + part.find('=') + 1, CURL_ZERO_TERMINATED);
  }
  const std::string agent =
      transfer.agent.empty() ? "curl/" + std::string(curl_version_info(CURLVERSION_NOW)->version) : transfer.agent;
  curl_easy_setopt(curl, CURLOPT_URL, transfer.url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, transfer.seconds);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, agent.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  if (transfer.is_compressed) curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
  if (transfer.has_body) {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(transfer.body.size()));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, transfer.body.data());
  }
  if (!transfer.parts.empty()) curl_easy_setopt(curl, CURLOPT_MIMEPOST, form.get());
  if (!transfer.method.empty()) curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, transfer.method.c_str());
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, append);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &reply.body);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, append);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &heads);
  reply.exit = curl_easy_perform(curl);
  long status = 0, connects = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(curl, CURLINFO_NUM_CONNECTS, &connects);
  reply.status = static_cast<int>(status);
  reply.connects = static_cast<unsigned>(connects);
  parse_headers(heads, reply);
  return reply;
}

}  // namespace

std::string Reply::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) {
      return value;
    }
  }
  return {};
}

Reply curl(const std::vector<std::string>& arguments) {
  const std::optional<Transfer> transfer = transfer_of(arguments);
  return transfer ? perform(*transfer) : curl_program(arguments);
}

}  // namespace tapedeck::tests
