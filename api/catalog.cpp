#include "api/catalog.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/catalog_text.h"
#include "base/text.h"
#include "http/message/message.h"

namespace tapedeck::api {
namespace {

/// Parses a range such as "1-6". Returns nothing for an empty text.
std::optional<VersionRange> version_range(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto min = base::whole_number<int>(base::take_until(text, '-')), max = base::whole_number<int>(text);
  if (!min || !max) throw std::logic_error("api/catalog.tsv: not a version range");
  return VersionRange{*min, *max};
}

CatalogOperation operation(std::string_view line) {
  CatalogOperation result;
  result.api = base::take_until(line, '\t');
  result.method = base::take_until(line, '\t');
  result.versions = version_range(base::take_until(line, '\t'));
  result.request_format = base::take_until(line, '\t');
  result.changes_state = base::take_until(line, '\t') == "yes";
  return result;
}

struct Index {
  std::vector<CatalogOperation> operations;
  std::unordered_map<std::string_view, std::span<const CatalogOperation>> by_api;
};

Index read_catalog() {
  Index index;
  std::string_view text = catalog_text;
  bool is_heading = true;
  while (!text.empty()) {
    const std::string_view line = base::take_until(text, '\n');
    if (line.empty() || line.starts_with('#')) continue;
    if (!is_heading) index.operations.push_back(operation(line));
    is_heading = false;
  }
  const std::span<const CatalogOperation> all = index.operations;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && all[end].api == all[begin].api) ++end;
    if (!index.by_api.emplace(all[begin].api, all.subspan(begin, end - begin)).second) {
      throw std::logic_error("api/catalog.tsv: the operations of one API are not neighbours");
    }
  }
  return index;
}

const Index& index() {
  static const Index instance = read_catalog();
  return instance;
}

}  // namespace

std::span<const CatalogOperation> catalog() { return index().operations; }

std::span<const CatalogOperation> catalog_api(std::string_view api_rest) {
  const auto found = index().by_api.find(api_rest);
  return found == index().by_api.end() ? std::span<const CatalogOperation>() : found->second;
}

const CatalogOperation* catalog_operation(std::string_view api_rest, std::string_view method) {
  for (const CatalogOperation& candidate : catalog_api(api_rest)) {
    if (http::equal_no_case(candidate.method, method)) return &candidate;
  }
  return nullptr;
}

}  // namespace tapedeck::api
