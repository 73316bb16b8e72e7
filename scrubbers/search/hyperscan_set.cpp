#include "scrubbers/search/hyperscan_set.h"

#include <hs/hs.h>
#include <string.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace tapedeck::scrubbers {
namespace {

// A database holds its literals, so its memory is wiped when it is freed.
constexpr std::size_t size_header = 64;

void* allocate(std::size_t size) {
  auto* const memory = static_cast<char*>(std::malloc(size + size_header));
  if (memory == nullptr) return nullptr;
  std::memcpy(memory, &size, sizeof size);
  return memory + size_header;
}

void wipe_and_free(void* pointer) {
  if (pointer == nullptr) return;
  char* const memory = static_cast<char*>(pointer) - size_header;
  std::size_t size = 0;
  std::memcpy(&size, memory, sizeof size);
  explicit_bzero(memory, size + size_header);
  std::free(memory);
}

void use_wiping_allocator() {
  static const hs_error_t result = hs_set_database_allocator(allocate, wipe_and_free);
  if (result != HS_SUCCESS) throw std::runtime_error("Hyperscan refuses an allocator");
}

struct HitContext {
  const std::vector<std::uint32_t>* lengths;
  const std::function<void(std::size_t, std::uint32_t)>* hit;
};

int on_match(unsigned id, unsigned long long, unsigned long long to, unsigned, void* context) {
  const auto* const hits = static_cast<const HitContext*>(context);
  (*hits->hit)(static_cast<std::size_t>(to) - (*hits->lengths)[id], id);
  return 0;
}

int on_first(unsigned, unsigned long long, unsigned long long, unsigned, void* found) {
  *static_cast<bool*>(found) = true;
  return 1;
}

}  // namespace

HyperscanSet::HyperscanSet(std::span<const std::string_view> literals) {
  use_wiping_allocator();
  std::vector<const char*> texts;
  std::vector<unsigned> flags(literals.size(), 0);
  std::vector<unsigned> ids;
  std::vector<std::size_t> lengths;
  for (const std::string_view literal : literals) {
    ids.push_back(static_cast<unsigned>(ids.size()));
    texts.push_back(literal.data());
    lengths.push_back(literal.size());
    lengths_.push_back(static_cast<std::uint32_t>(literal.size()));
  }
  free_scratch_.reserve(1);
  hs_compile_error_t* error = nullptr;
  const hs_error_t result =
      hs_compile_lit_multi(texts.data(), flags.data(), ids.data(), lengths.data(),
                           static_cast<unsigned>(literals.size()), HS_MODE_BLOCK, nullptr, &database_, &error);
  if (result != HS_SUCCESS) {
    hs_free_compile_error(error);
    throw std::runtime_error("Hyperscan cannot compile the learned values");
  }
  // Made here, where nobody waits for it; should there be no memory, the first search says so.
  hs_scratch* first = nullptr;
  if (hs_alloc_scratch(database_, &first) == HS_SUCCESS) free_scratch_.push_back(first);
}

HyperscanSet::~HyperscanSet() {
  for (hs_scratch* scratch : free_scratch_) hs_free_scratch(scratch);
  hs_free_database(database_);
}

hs_scratch* HyperscanSet::take_scratch() const {
  {
    const std::lock_guard lock(scratch_mutex_);
    if (!free_scratch_.empty()) {
      hs_scratch* const scratch = free_scratch_.back();
      free_scratch_.pop_back();
      return scratch;
    }
  }
  hs_scratch* scratch = nullptr;
  if (hs_alloc_scratch(database_, &scratch) != HS_SUCCESS) throw std::runtime_error("Hyperscan is out of memory");
  return scratch;
}

void HyperscanSet::scan(std::string_view text, OnMatch on_match, void* context) const {
  constexpr std::size_t longest = 0xFFFFFFFFu;
  if (text.size() > longest) throw std::runtime_error("a text of 4 GiB cannot be searched");
  hs_scratch* const scratch = take_scratch();
  const hs_error_t result =
      hs_scan(database_, text.data(), static_cast<unsigned>(text.size()), 0, scratch, on_match, context);
  {
    const std::lock_guard lock(scratch_mutex_);
    free_scratch_.push_back(scratch);
  }
  if (result != HS_SUCCESS && result != HS_SCAN_TERMINATED) throw std::runtime_error("Hyperscan cannot search");
}

void HyperscanSet::search(std::string_view text, const std::function<void(std::size_t, std::uint32_t)>& hit) const {
  HitContext context{&lengths_, &hit};
  scan(text, on_match, &context);
}

bool HyperscanSet::has_any(std::string_view text) const {
  bool found = false;
  scan(text, on_first, &found);
  return found;
}

}  // namespace tapedeck::scrubbers
