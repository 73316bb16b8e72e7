#pragma once
// Represents network addresses as numbers, and makes pseudonyms of them (docs/secrets.md, "Private data"). Pseudonyms
// in private blocks keep common prefixes (Crypto-PAn); public addresses become addresses of documentation ranges.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::scrubbers {

/// An IPv4 address in network byte order.
using Ipv4 = std::array<std::uint8_t, 4>;
using Ipv6 = std::array<std::uint8_t, 16>;
using Mac = std::array<std::uint8_t, 6>;

/// Returns 32 bytes that depend on a key and the text.
using KeyedBits = std::function<std::array<std::uint8_t, 32>(std::string_view text)>;

/// Parses a whole text: four numbers up to 255 without leading zeros.
[[nodiscard]] std::optional<Ipv4> parse_ipv4(std::string_view text);
[[nodiscard]] std::optional<Ipv6> parse_ipv6(std::string_view text);
/// Parses a MAC address: "00:11:32:aa:bb:cc", the same with `-`, "0011.32aa.bbcc", or 12 hex digits.
[[nodiscard]] std::optional<Mac> parse_mac(std::string_view text);

/// Returns the address as text, written like `like`: case, full or shortened form, separators.
[[nodiscard]] std::string written(const Ipv4& address);
[[nodiscard]] std::string written(const Ipv6& address, std::string_view like);
[[nodiscard]] std::string written(const Mac& address, std::string_view like);

/// Returns true for addresses without an owner: masks, 0/8, loopback, broadcast, and multicast.
[[nodiscard]] bool is_nobodys(const Ipv4& address);
[[nodiscard]] bool is_nobodys(const Ipv6& address);
[[nodiscard]] bool is_nobodys(const Mac& address);

/// Returns the pseudonym of an address within its private block, or nothing for a public one.
[[nodiscard]] std::optional<Ipv4> permuted(const Ipv4& address, const KeyedBits& bits);
[[nodiscard]] std::optional<Ipv6> permuted(const Ipv6& address, const KeyedBits& bits);

/// Returns an address of 198.18.0.0/15 or 2001:db8::/32, or a locally administered MAC address. Each `attempt` gives a
/// different one.
[[nodiscard]] Ipv4 stand_in(const Ipv4& address, unsigned attempt, const KeyedBits& bits);
[[nodiscard]] Ipv6 stand_in(const Ipv6& address, unsigned attempt, const KeyedBits& bits);
[[nodiscard]] Mac stand_in(const Mac& address, unsigned attempt, const KeyedBits& bits);

}  // namespace tapedeck::scrubbers
