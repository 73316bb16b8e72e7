"""Checks that packaging/macho.py accepts a program for macOS, and reports each fault, on small programs written here.

macho_selftest.py PROJECT_FOLDER
"""

import hashlib
import pathlib
import struct
import sys
import tempfile

sys.path.insert(0, sys.argv[1] + "/packaging")
sys.dont_write_bytecode = True
import macho  # noqa: E402

PAGE = 4096


def command(number, data):
    data += b"\0" * (-len(data) % 8)
    return struct.pack("<2I", number, 8 + len(data)) + data


def trie(names):
    """A node without a value that has one child for each name; the child has a value of one byte."""
    size = 2 + sum(len(name) + 2 for name in names)
    children = b"".join(name.encode() + b"\0" + bytes([size + 4 * place]) for place, name in enumerate(names))
    return bytes([0, len(names)]) + children + b"\1\0\0\0" * len(names)


def signature(program, flags=2, pages=None):
    hashes = [hashlib.sha256(program[at:at + PAGE]).digest() for at in range(0, len(program), PAGE)][:pages]
    first = 48 + len(b"a\0")
    directory = struct.pack(">9I4BI", 0xFADE0C02, first + 32 * len(hashes), 0x20400, flags, first, 48, 0, len(hashes), len(program),
                            32, 2, 0, 12, 0) + b"\0" * 4 + b"a\0" + b"".join(hashes)
    return struct.pack(">5I", 0xFADE0CC0, 20 + len(directory), 1, 0, 20) + directory


def program(architecture=0x01000007, kind=2, platform=1, least=13 << 16, libraries=("/usr/lib/libSystem.B.dylib",), segment="__TEXT",
            exports=("_main", "__ZdlPv"), signed=True, old_exports=False, damaged=False, **options):
    names = trie(exports)
    commands = command(0x19, segment.encode().ljust(64, b"\0")) + command(0x32, struct.pack("<4I", platform, least, 0, 0))
    commands += b"".join(command(0x0C, struct.pack("<4I", 24, 0, 0, 0) + name.encode() + b"\0") for name in libraries)
    place = struct.pack("<2I", PAGE, len(names))
    commands += command(0x80000022, b"\0" * 32 + place) if old_exports else command(0x80000033, place)
    count = 4 + len(libraries)
    limit = PAGE + len(names)
    if signed:
        commands += command(0x1D, struct.pack("<2I", limit, 4096))
    head = struct.pack("<8I", 0xFEEDFACF, architecture, 3, kind, count - (not signed), len(commands), 0, 0)
    code = (head + commands).ljust(PAGE, b"\0") + names
    blob = signature(code, **options) if signed else b""
    return code[:PAGE - 1] + b"\1" * damaged + code[PAGE - 1 + damaged:] + blob


FAULTS = [
    ({"architecture": 0x0100000C}, "not for x86_64"),
    ({"kind": 6}, "not a program"),
    ({"platform": 2}, "platform 2 is not macOS"),
    ({"least": 14 << 16}, "needs macOS 14.0, not 13.0"),
    ({"libraries": ()}, "needs"),
    ({"libraries": ("/usr/lib/libSystem.B.dylib", "/usr/lib/libz.1.dylib")}, "libz.1.dylib"),
    ({"segment": "__DWARF"}, "debug information is left"),
    ({"exports": ("_main", "_SSL_new")}, "exports _SSL_new"),
    ({"exports": ("_SSL_new",), "old_exports": True}, "exports _SSL_new"),
    ({"signed": False}, "not signed"),
    ({"flags": 0}, "not ad hoc"),
    ({"pages": 1}, "lacks pages"),
    ({"damaged": True}, "another checksum of page 0"),
]


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program"

        def check(data, wanted, name):
            path.write_bytes(data)
            sys.argv = ["macho.py", path, "x86_64", "13.0"]
            message = ""
            try:
                macho.main()
            except SystemExit as end:
                message = end.code
            if bool(message) == bool(wanted) and wanted in message:
                return 0
            print(f"{name}: '{message}', wanted '{wanted}'")
            return 1

        good = program()
        failures += check(good, "", "a program without a fault")
        failures += check(program(old_exports=True), "", "exports in their older place")
        for options, message in FAULTS:
            failures += check(program(**options), message, str(options))
        for size in range(0, len(good), 97):
            failures += check(good[:size], "macho:", f"{size} bytes of it")
    sys.exit(f"{failures} failures" if failures else 0)


if __name__ == "__main__":
    main()
