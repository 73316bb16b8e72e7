#include "scrubbers/rules/key_names.h"

namespace tapedeck::scrubbers {

KeyNames::KeyNames(const NameTable& table, const NameEndings* endings) : table_(&table), endings_(endings) {
  if (endings != nullptr) tails_ = endings->tails();
  table.each_name([this](std::string_view name) {
    if (name.size() >= TailFilter::length) tails_.add_name(name);
  });
}

}  // namespace tapedeck::scrubbers
