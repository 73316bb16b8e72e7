#include "http/message/multipart.h"

#include <catch2/catch.hpp>

namespace tapedeck::http {
namespace {

/// Returns "name<content>" or "name(filename)<content>" for each field, or "-" if the body is not multipart.
std::string shown(std::string_view body, std::string_view boundary = "XX") {
  const auto fields = parse_multipart(body, boundary);
  if (!fields) return "-";
  std::string out;
  for (const MultipartField& field : *fields) {
    out += field.name;
    if (field.filename) out += "(" + *field.filename + ")";
    out += "<" + std::string(body.substr(field.content.offset, field.content.length)) + ">";
  }
  return out;
}

std::string part(const std::string& disposition, const std::string& content) {
  return "--XX\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n";
}

TEST_CASE("multipart: returns fields in order with their places") {
  const struct {
    std::string body, expected;
  } rows[] = {
      {part("name=\"path\"", "/home") + "--XX--\r\n", "path</home>"},
      {part("name=\"a\"", "1") + part("name=\"f\"; filename=\"x.bin\"", "b\r\n\r\nc") + "--XX--",
       "a<1>f(x.bin)<b\r\n\r\nc>"},
      {part("name=plain", "1") + "--XX--", "plain<1>"},
      {part("name=\"q\\\"u\\\\o\"", "1") + "--XX--", "q\"u\\o<1>"},
      {part("filename=\"C:\\dir\\f\"; name=\"n\"", "") + "--XX--", "n(C:\\dir\\f)<>"},
      {"--XX--\r\n", ""},
      {"preamble\r\n" + part("name=\"a\"", "1") + "--XX--epilogue", "a<1>"},
      {part("name=\"a\"", "--XXY\r\n--XX inside") + "--XX--", "a<--XXY\r\n--XX inside>"},
      {"--XX \t\r\n\r\nno head\r\n--XX--", "<no head>"},
      // incomplete multipart bodies
      {"", "-"},
      {"--XX\r\n", "-"},
      {part("name=\"a\"", "1"), "-"},
      {"--XX\r\nContent-Disposition: form-data\r\n--XX--", "-"},
      {"--YY--", "-"},
      {"--XX\r\n--XX--", "-"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.body);
    CHECK(shown(row.body) == row.expected);
  }
}

TEST_CASE("multipart: reads the boundary from the Content-Type") {
  const struct {
    std::string type, expected;
  } rows[] = {
      {"multipart/form-data; boundary=abc", "abc"},
      {"Multipart/Form-Data; charset=utf-8; Boundary=\"a b;c\"", "a b;c"},
      {"multipart/form-data", "-"},
      {"multipart/form-data; boundary=", "-"},
      {"multipart/mixed; boundary=abc", "-"},
      {"application/json", "-"},
      {"multipart/form-data; boundary=" + std::string(71, 'x'), "-"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.type);
    CHECK(multipart_boundary({{"Content-Type", row.type}}).value_or("-") == row.expected);
  }
}

}  // namespace
}  // namespace tapedeck::http
