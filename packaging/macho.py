"""Reads a program for macOS and prints what it needs. Fails unless it is one that any Mac of its architecture can start.

macho.py PROGRAM arm64|x86_64 MINIMUM: checks architecture, platform, minimum version of macOS, that only libSystem is needed,
that nothing is exported but what every program has, that no debug information is left, and the signature with the checksum
of each page. Facts: Apple's mach-o/loader.h, and cs_blobs.h of its kernel.
"""

import hashlib
import struct
import sys

MACHINES = {"arm64": 0x0100000C, "x86_64": 0x01000007}
EXECUTABLE, MACOS = 2, 1
BUILD_VERSION, SEGMENT, SIGNATURE, EXPORTS = 0x32, 0x19, 0x1D, 0x80000033
NEEDED = {0x0C, 0x80000018, 0x8000001F, 0x80000023}  # of a library: plain, weak, passed on, upward
OLD_EXPORTS = {0x22, 0x80000022}
# The linker exports the first three of every program, and the operators that programs may replace.
USUAL = {"_main", "__mh_execute_header", "___dso_handle"}
OPERATORS = ("__Znwm", "__Znam", "__ZdlPv", "__ZdaPv")


class Bad(Exception):
    pass


def require(condition, message):
    if not condition:
        raise Bad(message)


def number(data, at):
    """Reads a ULEB128 number; returns it and the position behind it."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def exported(trie):
    """Yields the names in a trie of exports: each node has the size of its value, the value, and its children."""
    nodes = [(0, b"")] if trie else []
    visited = set()
    while nodes:
        at, name = nodes.pop()
        require(at not in visited, "the list of exports has a loop")
        visited.add(at)
        size, at = number(trie, at)
        if size:
            yield name.decode()
        at += size
        children = trie[at]
        at += 1
        for _ in range(children):
            end = trie.index(0, at)
            child, after = number(trie, end + 1)
            nodes.append((child, name + trie[at:end]))
            at = after


def check_signature(program, at, size):
    """Checks a signature without a certificate: the checksum of each page. Returns their number."""
    blob = program[at:at + size]
    magic, _, count = struct.unpack_from(">3I", blob)
    require(magic == 0xFADE0CC0, "the signature is damaged")
    slots = dict(struct.unpack_from(">2I", blob, 12 + 8 * one) for one in range(count))
    directory = blob[slots[0]:]
    magic, _, version, flags, hashes, identity, _, pages, limit = struct.unpack_from(">9I", directory)
    hash_size, kind, _, page_bits = struct.unpack_from(">4B", directory, 36)
    require(magic == 0xFADE0C02 and version >= 0x20400, "the signature has no directory of pages")
    require(flags & 2, "the signature is not ad hoc")
    require((hash_size, kind) == (32, 2), "the signature does not use SHA-256")
    require(limit == at, "the signature does not cover the whole file")
    for page in range(pages):
        first = page << page_bits
        wanted = directory[hashes + 32 * page:hashes + 32 * page + 32]
        require(hashlib.sha256(program[first:min(first + (1 << page_bits), limit)]).digest() == wanted,
                f"the signature has another checksum of page {page}")
    require(pages == -(-limit >> page_bits), "the signature lacks pages")
    name = directory[identity:directory.index(0, identity)].decode()
    return f"ad hoc, {pages} pages, identifier {name}"


def commands(program):
    _, _, _, _, count, size, _, _ = struct.unpack_from("<8I", program)
    at = 32
    for _ in range(count):
        command, length = struct.unpack_from("<2I", program, at)
        require(length >= 8 and at + length <= 32 + size, "the load commands are damaged")
        yield command, program[at:at + length]
        at += length


def read(program, machine, minimum):
    magic, architecture, _, kind = struct.unpack_from("<4I", program)
    require(magic == 0xFEEDFACF and kind == EXECUTABLE, "not a program of 64 bits for macOS")
    require(architecture == MACHINES[machine], f"not for {machine}")
    needed, names, signature, version = [], set(), None, None
    for command, data in commands(program):
        if command in NEEDED:
            needed.append(data[struct.unpack_from("<I", data, 8)[0]:].rstrip(b"\0").decode())
        elif command == BUILD_VERSION:
            platform, least = struct.unpack_from("<2I", data, 8)
            require(platform == MACOS, f"platform {platform} is not macOS")
            version = f"{least >> 16}.{least >> 8 & 255}"
        elif command == SEGMENT:
            require(data[8:24].rstrip(b"\0") != b"__DWARF", "debug information is left")
        elif command == SIGNATURE:
            signature = check_signature(program, *struct.unpack_from("<2I", data, 8))
        elif command == EXPORTS or command in OLD_EXPORTS:
            at, size = struct.unpack_from("<2I", data, 8 if command == EXPORTS else 40)
            names |= set(exported(program[at:at + size]))
    require(signature, "not signed")
    require(version == minimum, f"needs macOS {version}, not {minimum}")
    require(needed == ["/usr/lib/libSystem.B.dylib"], f"needs {', '.join(needed)}")
    other = {name for name in names - USUAL if not name.startswith(OPERATORS)}
    require(not other, f"exports {', '.join(sorted(other))}")
    return (f"{machine}, macOS {version} or later, needs {needed[0]}, {len(program)} bytes\n"
            f"signature: {signature}\nexports: {', '.join(sorted(names)) or 'nothing'}")


def main():
    path, machine, minimum = sys.argv[1:]
    with open(path, "rb") as file:
        program = file.read()
    try:
        print(read(program, machine, minimum))
    except (Bad, IndexError, KeyError, ValueError, struct.error) as error:
        sys.exit(f"macho: {path}: {error}")


if __name__ == "__main__":
    main()
