#pragma once
// Blocks of memory for bodies of many megabytes.

#include <cstddef>
#include <string>

namespace tapedeck::base {

/// Asks Linux to back a new block of 4 MiB or more with huge pages: the first write to 60 MiB then causes 30 page faults
/// instead of 15,000. Does nothing for smaller blocks, a null pointer, and where huge pages are off.
void use_huge_pages(const void* block, std::size_t size);

/// As `text.reserve(size)`, with huge pages for a large text.
void reserve(std::string& text, std::size_t size);

}  // namespace tapedeck::base
