#include "tools/content/rewrite.h"

#include <set>
#include <stdexcept>
#include <string>

#include "base/text.h"

namespace tapedeck::tools {

std::uint64_t id_number(const cassettes::Digest& digest) {
  std::uint64_t number = 0;
  for (const char byte : digest) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

std::uint64_t id_number(std::string_view sixteen_hex_digits) {
  const auto number = base::whole_number<std::uint64_t>(sixteen_hex_digits, 16);
  if (!number) throw std::invalid_argument("not an interaction ID");
  return *number;
}

KeptMaterial::KeptMaterial(cassettes::Material& below, const cassettes::CassetteReader& cassette,
                           const std::function<bool(const cassettes::ListedInteraction&)>& keeps)
    : MaterialView(below) {
  using Part = std::pair<std::uint32_t, std::string>;
  std::set<std::uint32_t> takes_with_calls, kept_takes;
  std::set<Part> parts_with_calls, kept_parts;
  cassette.list([&](const cassettes::ListedInteraction& line) {
    takes_with_calls.insert(line.take);
    parts_with_calls.emplace(line.take, line.scope);
    if (keeps(line)) {
      ids_.insert(id_number(line.id));
      kept_takes.insert(line.take);
      kept_parts.emplace(line.take, line.scope);
    }
    return true;
  });
  for (const cassettes::Take& take : head_.takes) {
    if (!kept_takes.contains(take.number) && takes_with_calls.contains(take.number)) continue;
    numbers_.emplace(take.number, static_cast<std::uint32_t>(numbers_.size()) + 1);
  }
  const auto is_gone = [&](const auto& row) {
    const Part part(row.take, row.scope);
    return !numbers_.contains(row.take) || (!kept_parts.contains(part) && parts_with_calls.contains(part));
  };
  std::erase_if(head_.takes, [&](const cassettes::Take& take) { return !numbers_.contains(take.number); });
  std::erase_if(head_.parts, is_gone);
  std::erase_if(head_.accounts, is_gone);
  std::erase_if(head_.sessions, is_gone);
  std::erase_if(head_.marks, [&](const cassettes::Mark& mark) { return !numbers_.contains(mark.take); });
  for (cassettes::Take& take : head_.takes) take.number = numbers_.at(take.number);
  for (cassettes::MaterialPart& part : head_.parts) part.take = numbers_.at(part.take);
  for (cassettes::MaterialAccount& account : head_.accounts) account.take = numbers_.at(account.take);
  for (cassettes::MaterialSession& session : head_.sessions) session.take = numbers_.at(session.take);
  for (cassettes::Mark& mark : head_.marks) mark.take = numbers_.at(mark.take);
}

void KeptMaterial::each(const std::function<void(const cassettes::MaterialItem&)>& visit) {
  below_.each([&](const cassettes::MaterialItem& item) {
    if (!ids_.contains(id_number(item.digest))) return;
    cassettes::MaterialItem renumbered = item;
    renumbered.take = numbers_.at(item.take);
    visit(renumbered);
  });
}

void Edited::each(const std::function<void(const cassettes::MaterialItem&)>& visit) {
  below_.each([&](const cassettes::MaterialItem& item) {
    cassettes::MaterialItem marked = item;
    marked.edited = item.edited || changes_.contains(id_number(item.digest));
    visit(marked);
  });
}

scrubbers::InteractionRecord Edited::record(const cassettes::MaterialItem& item) {
  scrubbers::InteractionRecord record = below_.record(item);
  if (const auto change = changes_.find(id_number(item.digest)); change != changes_.end()) change->second(record);
  return record;
}

}  // namespace tapedeck::tools
