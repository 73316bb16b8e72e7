"""Makes small seeded changes in the product, one at a time, and prints which of them the tests detect.

    python3 mutate.py COUNT SEED

Run by script/mutate in a clean work tree: each change is made in place, built, tested, and reverted. The results are in
build/mutate-SEED.tsv; changes that are listed there are not made again.
"""

import pathlib
import random
import re
import subprocess
import sys

BUILD = pathlib.Path("build/dev")
FOLDERS = ["api", "base", "cassettes", "http", "journal", "proxy", "replay", "scan", "scrubbers", "tools"]
PATIENCE = 60  # seconds for the tests of the folder, and again for each lot of those from end to end

# Patterns in a line of code, and their replacements.
CHANGES = [(re.compile(pattern), put) for pattern, put in [
    (r" == ", " != "), (r" != ", " == "), (r" < ", " <= "), (r" > ", " >= "), (r" <= ", " < "), (r" >= ", " > "),
    (r" && ", " || "), (r" \|\| ", " && "), (r" \+ 1\b", ""), (r" - 1\b", ""), (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"), (r"if \(!(?=\w)", "if ("), (r"^(\s*)if \(.*\) (return|break|continue)\b.*;$", r"\1;"),
]]
NO_CODE = re.compile(r"^\s*(//|#|///|static_assert|template|using|namespace|\[\[nodiscard\]\]|R\"|\")|\boperator\b|constexpr|->")


def candidates():
    """Returns all possible changes: (file, number of the line, the changed line)."""
    found = []
    for folder in FOLDERS:
        for file in sorted(pathlib.Path(folder).rglob("*.cpp")):
            for number, line in enumerate(file.read_text().split("\n")):
                code = line.split(" // ")[0]
                if NO_CODE.search(code) or code.count('"') % 2:
                    continue
                for pattern, put in CHANGES:
                    for match in pattern.finditer(code):
                        if code[: match.start()].count('"') % 2 == 0:
                            found.append((file, number, code[: match.start()] + match.expand(put) + code[match.end() :]))
    return found


def run(*command, seconds=None):
    """Returns true for exit status 0. A timeout is a failure as well."""
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def build(*targets):
    return run("cmake", "--build", str(BUILD), "--target", *targets)


def end_to_end(file):
    """Returns the end-to-end tests in two groups: those whose names share a word with the file's name, and the others."""
    tests = BUILD / "tests" / "e2e_tests"
    names = subprocess.run([tests, "--list-test-names-only", "~[timing]~[.]"], capture_output=True, text=True).stdout
    names = [name for name in names.split("\n") if name]
    words = re.findall("[a-z]{3,}", file.stem)
    near = [name for name in names if any(word in name for word in words)]
    for lot in (near, [name for name in names if name not in near]):
        if lot:
            yield [tests, "-a", ",".join(name.replace(",", "\\,") for name in lot)]


def verdict(file):
    folder = file.parts[0]
    if not build(f"{folder}_tests"):
        return "does not compile"
    if not run(BUILD / "tests" / f"{folder}_tests", "-a", "~[timing]~[.]", seconds=PATIENCE):
        return f"noticed by {folder}_tests"
    if not build("tapedeck", "e2e_tests"):
        return "does not compile"
    for command in end_to_end(file):
        try:
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=PATIENCE, check=True)
        except subprocess.TimeoutExpired:
            pass  # what was reached in that time has passed
        except subprocess.CalledProcessError:
            return "noticed by e2e_tests"
    return "survived"


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    results = pathlib.Path(f"build/mutate-{seed}.tsv")
    done = dict(line.split("\t")[:2] for line in results.read_text().split("\n") if line) if results.exists() else {}
    everything = candidates()
    random.Random(seed).shuffle(everything)
    made = 0
    for file, number, changed in everything:
        if made == count:
            break
        place = f"{file}:{number + 1}: {changed.strip()}"
        said = done.get(place)
        if said is None:
            original = file.read_text()
            lines = original.split("\n")
            lines[number] = changed
            try:
                file.write_text("\n".join(lines))
                said = verdict(file)
            finally:
                file.write_text(original)
            with results.open("a") as out:
                out.write(f"{place}\t{said}\n")
            done[place] = said
        made += said != "does not compile"
        print(f"{said}: {place}", flush=True)
    counted = [said for said in done.values() if said != "does not compile"]
    survived = counted.count("survived")
    print(f"mutate: {len(counted) - survived} of {len(counted)} changes noticed; of seed {seed} there are {len(everything)}")


if __name__ == "__main__":
    main()
