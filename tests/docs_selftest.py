"""Checks that docs_test.py finds each kind of fault, in a copy of the project with one fault at a time.

docs_selftest.py PROGRAM PAGES_PROGRAM PROJECT_FOLDER
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

# File, text to add (or a pair: text to replace, and its replacement), and what the test must print.
FAULTS = [
    ("docs/replay.md", "```sh shown: no\ntapedeck replay --nonesuch a.cassette\n```\n", "tapedeck replay: --nonesuch"),
    ("docs/replay.md", "```sh shown: no\nX=1 tapedeck ls --json a | tapedeck ls --cors '*'\n```\n", "tapedeck ls: --cors"),
    ("docs/replay.md", "```sh shown: no\ntapedeck replay \\\n  a.cassette \\\n  --nonesuch\n```\n", "tapedeck replay: --nonesuch"),
    ("docs/replay.md", "Use `--nonesuch NAME`.\n", "--nonesuch"),
    ("docs/replay.md", "Use `ls --cors`.\n", "ls --cors: --cors"),
    ("docs/architecture.md", "Use `script/test --nonesuch`.\n", "script/test --nonesuch: --nonesuch"),
    ("docs/testing.md", "Use `--tapedeck-nonesuch`.\n", "--tapedeck-nonesuch"),
    ("docs/replay.md", "See `docs/nonesuch.md`.\n", "no such file: docs/nonesuch.md"),
    ("docs/replay.md", "It exits with 9.\n", "no exit status 9"),
    ("docs/replay.md", "It gets status 299.\n", "status 299"),
    ("docs/replay.md", "It gets error 199.\n", "error 199"),
    ("docs/replay.md", ("| 101 | `builtin` |", "| 102 | `builtin` |"), "gets something else than 102"),
    ("docs/reference.md", "More.\n", "docs/reference.md is not what the program says"),
    ("api/call.h", '// docs/replay.md, "Nonesuch"\n', "has no heading 'Nonesuch'"),
    ("cli/app.cpp", 'auto text = "try again with " "--nonesuch NAME";\n', "'--nonesuch', which does not exist"),
    ("cli/app.cpp", 'auto text = R"(ls with --json, or record with --json)";\n', "'record with --json', which does not exist"),
    ("inspector/page/why.js", "const text = `replay with --nonesuch`;\n", "'replay with --nonesuch', which does not exist"),
]


def main():
    program, pages, root = sys.argv[1:]
    here = pathlib.Path(root)
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "copy"
        shutil.copytree(here, copy, ignore=shutil.ignore_patterns(".git", "node_modules", "build", "dist", "*.png"))

        def run():
            return subprocess.run([sys.executable, here / "tests/docs_test.py", program, pages, copy], capture_output=True, text=True, check=False)

        clean = run()
        if clean.returncode != 0:
            sys.exit(f"the project has faults:\n{clean.stdout}{clean.stderr}")
        failed = False
        for name, change, expected in FAULTS:
            text = (here / name).read_text(encoding="utf-8")
            (copy / name).write_text(text.replace(*change) if isinstance(change, tuple) else f"{text}\n{change}", encoding="utf-8")
            ran = run()
            if ran.returncode != 1 or expected not in ran.stdout or ran.stdout.count("\n") > 20:
                print(f"{name}, {change!r}: status {ran.returncode}:\n{ran.stdout}{ran.stderr}")
                failed = True
            (copy / name).write_text(text, encoding="utf-8")
    sys.exit(1 if failed else 0)


main()
