"""Checks what the documents and messages say against the program and the sources: options, exit statuses, HTTP statuses,
error codes of the interface, and names of files. Also compares docs/reference.md with the generated reference.

docs_test.py PROGRAM PAGES_PROGRAM PROJECT_FOLDER
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Options of other programs: in prose, with the page that names them, and in messages and commands of the sources.
FOREIGN = {"docs/installing.md": {"--user", "--tmpfs"}, "docs/architecture.md": {"--write"}, "integrations/pytest/README.md": {"--junitxml", "--reruns"}}
FOREIGN_IN_SOURCES = {"--cached", "--name-only", "--diff-filter", "--stdin", "--local", "--get", "--prefix", "--path-as-is", "--data-binary", "--ours", "--theirs", "--test"}
OPTION = re.compile(r"(?<![\w-])--[a-z](?:[a-z0-9-]|\.(?=\d))*")
PYTEST_OPTIONS = "integrations/pytest/src/pytest_tapedeck/options.py"
SOURCES = ("base", "http", "api", "scan", "scrubbers", "cassettes", "journal", "replay", "proxy", "tools", "inspector", "cli", "integrations")


class Project:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        skipped = {".git", "node_modules", "build", "dist"}
        self.files = []
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(set(folders) - skipped)
            self.files += [os.path.relpath(os.path.join(folder, name), root) for name in names]
        self.texts = {path: self.read(path) for path in self.files if path.endswith((".md", ".h", ".cpp", ".js", ".mjs", ".py", ".sh"))}
        self.documents = {path: text for path, text in self.texts.items() if path.endswith(".md") and path != "CHANGELOG.md"}

    def read(self, path):
        return (self.root / path).read_text(encoding="utf-8", errors="replace")

    def sources(self):
        return {path: text for path, text in self.texts.items() if path.split("/")[0] in SOURCES and not path.endswith(".md")}


class Program:
    """The options of each command, from --help-all."""

    def __init__(self, path):
        self.path = path
        self.commands = {}
        for name in re.findall(r"^  ([a-z][a-z-]*)  +[A-Z]", self.run("--help-all"), re.M):
            text = self.run(name, "--help-all")
            for nested in re.findall(r"^  ([a-z]+)  +[A-Z]", text, re.M):
                text += self.run(name, nested, "--help-all")
            self.commands[name] = set(re.findall(r"^  (?:-[A-Za-z], *)?(--[a-z0-9][a-z0-9-]*)", text, re.M)) | {"--help", "--help-all"}
        self.every = set().union(*self.commands.values(), {"--version"})

    def run(self, *arguments):
        return subprocess.run([self.path, *arguments], capture_output=True, text=True, check=False).stdout


def code_of(text):
    """Yields (line, kind, code) of a document: each line of a block (with its kind), together with those that continue it
    after a backslash, and each span of code in prose."""
    kind, begun = None, ""
    for number, line in enumerate(text.split("\n"), 1):
        fence = re.match(r"^```(\S*)", line)
        if fence:
            kind, begun = None if kind is not None else fence[1], ""
        elif kind is not None and line.endswith("\\"):
            begun += line[:-1] + " "
        elif kind is not None:
            yield number, kind, begun + line
            begun = ""
    prose = re.sub(r"^```.*?^```$", lambda block: "\n" * block[0].count("\n"), text, flags=re.M | re.S)
    for span in re.finditer(r"`([^`]+)`", prose):
        yield prose.count("\n", 0, span.start()) + 1, "span", " ".join(span[1].split())


def commands_in(code):
    """Yields each simple command of a shell line, without assignments before it."""
    for part in re.split(r"\|\||&&|[|;&]|\$\(|<\(", re.sub(r"\s#.*", "", code)):
        words = part.strip().split(" -- ")[0].split()
        while words and (re.match(r"^\w+=", words[0]) or words[0] in ("sudo", "if", "then", "do", "!", "until", "(", "npx")):
            words.pop(0)
        if words:
            yield words


def unknown_options(project, program, path, kind, code):
    """Yields the options in a piece of code that no program has."""
    if kind not in ("span", "sh", ""):
        return
    pytest_options = set(OPTION.findall(project.texts[PYTEST_OPTIONS])) | {f"--tapedeck-{name}" for name in re.findall(r"\(\"([a-z-]+)\"", project.texts[PYTEST_OPTIONS])}
    for words in commands_in(code):
        name = pathlib.PurePath(words[0]).name
        options = OPTION.findall(" ".join(words[1:]))
        if name == "tapedeck" and len(words) > 1 and words[1] in program.commands:
            known = program.commands[words[1]]
        elif name == "tapedeck":
            known = program.every
        elif words[0].startswith("script/"):
            known = set(OPTION.findall(project.read(words[0])))
        elif name == "pytest":
            known = pytest_options if any(option.startswith("--tapedeck") for option in options) else set(options)
            options = [option for option in options if option.startswith("--tapedeck")]
        elif kind == "span" and name in program.commands:
            known = program.commands[name]
        elif kind == "span" and words[0].startswith("--"):
            options = OPTION.findall(" ".join(words))
            known = program.every | FOREIGN.get(path, set()) | pytest_options
            known |= set(OPTION.findall("".join(project.read(f"script/{one}") for one in os.listdir(project.root / "script"))))
        else:
            continue
        for option in options:
            if option not in known:
                yield f"{' '.join(words[:2])}: {option}"


def strings_of(path, text):
    """Yields (line, text) of the string literals of a source; adjacent ones are one."""
    if path.endswith((".h", ".cpp")):
        literal = r'R"\((?:.*?)\)"|"(?:[^"\\\n]|\\.)*"'
    else:
        literal = r"'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`" + r'|"(?:[^"\\\n]|\\.)*"'
    for run in re.finditer(rf"(?:{literal})(?:\s*(?:{literal}))*", text, re.S):
        yield text.count("\n", 0, run.start()) + 1, re.sub(r'"\s+(?:R"\(|")|^R?"\(?|"$|\)"$', "", run[0])


def check_options(project, program):
    for path, text in project.documents.items():
        if path == "docs/reference.md":
            continue
        for line, kind, code in code_of(text):
            for unknown in unknown_options(project, program, path, kind, code):
                yield f"{path}:{line}: no such option: {unknown}"
    # Messages: what they advise must exist. A declaration of an option is a string of its name alone.
    for path, text in project.sources().items():
        for line, said in strings_of(path, text):
            if " " not in said.strip():
                continue
            for match in re.finditer(r"(?:(?<!git )\b(record|replay|exec|scrub|scan|doctor|explain|export|merge|diff) (?:with |without |\S+ )?)?(?<![\w-])(--[a-z](?:[a-z0-9-]|\.(?=\d))*)", said):
                known = program.commands.get(match[1], program.every) if match[1] else program.every
                if match[2] not in known | FOREIGN_IN_SOURCES and not match[2].startswith(("--tapedeck", "--http1")):
                    yield f"{path}:{line}: a message names {match[0]!r}, which does not exist"


def check_files(project):
    folders = {path.split("/")[0] for path in project.files if "/" in path}
    for path, text in project.documents.items():
        blocks = "".join(code for _, kind, code in code_of(text) if kind != "span") + " ".join(re.findall(r"^```\S+ run=(\S+)", text, re.M))
        for line, kind, code in code_of(text):
            if kind != "span" or not re.fullmatch(r"[\w.-]+(/[\w.-]+)+\.[a-z]+", code) or code.split("/")[0] not in folders or code in blocks or "NAME" in code:
                continue
            if not any((project.root / base / code).exists() for base in ("", os.path.dirname(path))):
                yield f"{path}:{line}: no such file: {code}"
    for path, text in project.texts.items():
        if "_selftest." in path:
            continue
        for match in re.finditer(r"\bdocs/[\w/-]+\.md(?:, \"([^\"\n]+)\")?", text):
            page = match[0].split(",")[0]
            if page not in project.documents:
                yield f"{path}: no such page: {page}"
            elif match[1] and not re.search(rf"^#+ {re.escape(match[1])}$|^\*\*{re.escape(match[1])}\.?\*\*", project.documents[page], re.M):
                yield f"{path}: {page} has no heading {match[1]!r}"


def check_numbers(project):
    exits = set(re.findall(r"^\| (\d) \|", project.documents["docs/reference.md"].split("\n## Exit status")[1], re.M))
    sources = "".join(project.sources().values())
    in_sources = set(re.findall(r"(?<![\w.])([1-5]\d\d)(?![\w.])", sources))
    errors = set(re.findall(r"^\| (\d{3}) \|", project.documents["docs/device-notes.md"], re.M))
    errors |= set(re.findall(r"\| (\d{3}) \|", project.documents["docs/device-notes.md"]))
    for path, text in project.documents.items():
        prose = re.sub(r"^```.*?^```$", lambda block: "\n" * block[0].count("\n"), text, flags=re.M | re.S)
        def at(match):
            return f"{path}:{prose.count(chr(10), 0, match.start()) + 1}"
        for match in re.finditer(r"(?:exits? with|exit status(?:es)?(?: is| of)?|make it|status) (\d)\b(?!\d)", prose):
            if match[1] not in exits:
                yield f"{at(match)}: no exit status {match[1]}"
        for match in re.finditer(r"(?:\b[Ss]tatus(?:es)?|HTTP|gets?|responds with) `?((?:[1-5]\d\d(?:, | and | or )?)+)", prose):
            for number in re.findall(r"\d{3}", match[1]):
                if number not in in_sources and number not in errors:
                    yield f"{at(match)}: the program does not know status {number}"
        for match in re.finditer(r"\b[Ee]rrors? ((?:\d{3}(?:, and |, | and | or )?)+)", prose):
            for number in re.findall(r"\d{3}", match[1]):
                if number not in errors and number not in in_sources:
                    yield f"{at(match)}: docs/device-notes.md does not list error {number}"


def check_reference(pages, project):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([pages, folder], check=True)
        if (pathlib.Path(folder) / "reference.md").read_text(encoding="utf-8") != project.documents["docs/reference.md"]:
            yield "docs/reference.md is not what the program says: run script/reference"


def check_errors(project, program):
    """The table of built-in errors in docs/replay.md, whose requests are explained with the recording of `tapedeck demo`."""
    rows = re.findall(r"^\| `([^`]+)` \| [^|]+ \| (\d{3}) \| `(\w+)` \|$", project.documents["docs/replay.md"], re.M)
    if len(rows) < 4:
        yield "docs/replay.md: the table of errors is not found"
    with tempfile.TemporaryDirectory() as folder:
        cassette = os.path.join(folder, "nas.cassette")
        program.run("demo", "--keep", cassette)
        for query, code, outcome in rows:
            text = program.run("explain", cassette, f"/webapi/entry.cgi?{query}")
            if f"X-Tapedeck-Outcome: {outcome}\n" not in text or f'"code":{code}' not in text:
                yield f"docs/replay.md: {query} gets something else than {code} ({outcome}):\n{text}"


def main():
    program, pages, root = sys.argv[1:]
    project, program = Project(root), Program(program)
    faults = [*check_reference(pages, project), *check_options(project, program), *check_files(project), *check_numbers(project), *check_errors(project, program)]
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
