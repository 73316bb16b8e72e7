"""The plugin's options, and the `tapedeck` command line that they produce."""

from __future__ import annotations

import os
import re
import shlex
import warnings
from typing import Any, NamedTuple, Sequence

import pytest

from .scope import group_of, spelled
from .tape import Tape

_MODES = ("none", "new", "once", "all")
_REPLAY, _RECORD, _NEW = ("none",), ("new", "once", "all"), ("new",)


class _Passed(NamedTuple):
    """An option that is passed to the program."""

    name: str  # after --tapedeck-
    option: str
    modes: tuple[str, ...]  # in which the program accepts it
    help: str
    metavar: str | None = None  # a flag if None
    many: bool = False


_PASSED = (
    _Passed("device", "--device", _RECORD, "the device to record from", "URL"),
    _Passed("pin", "--pin-sha256", _RECORD, "fingerprint of the device's certificate", "SHA256"),
    _Passed("ca", "--ca-file", _RECORD, "CA certificates for the device (PEM)", "FILE"),
    _Passed("insecure", "--insecure", _RECORD, "accept any certificate of the device (unsafe)"),
    _Passed("allow-writes", "--allow-writes", _NEW, "also forward requests that change the device"),
    _Passed("overlay", "--overlay", ("none", "new", "once"), "overlay file; repeatable", "FILE", many=True),
    _Passed("bind", "--bind", ("none", "new"), "match any value of this parameter, for IDs that clients generate; repeatable", "PARAM", many=True),
)


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("tapedeck", "recordings of a storage device")
    group.addoption("--tapedeck", choices=_MODES, default="none",
                    help="none: replay (default); new: record missing requests from --tapedeck-device; "
                    "once: record if the cassette is missing; all: record everything again")
    group.addoption("--tapedeck-cassette", action="append", default=[], metavar="CASSETTE", help="cassette to use; repeatable")
    group.addoption("--tapedeck-builtin", action="store_true", help="use built-in responses only, without a cassette")
    group.addoption("--tapedeck-strict", nargs="?", const="", metavar="LIST",
                    help="fail the run for the events of `tapedeck replay --strict[=LIST]`")
    group.addoption("--tapedeck-effects", nargs="?", const=True, action="append", default=[], metavar="FILE",
                    help="the built-in effects, or those of an overlay file; left out while recording")
    group.addoption("--tapedeck-rerecord", nargs="?", const=True, action="append", default=[], metavar="PATTERN",
                    help="with --tapedeck=new: record the selected tests again, or those whose scope matches PATTERN")
    for one in _PASSED:
        how: dict[str, Any] = {"action": "store_true"}
        if one.metavar is not None:
            how = {"metavar": one.metavar, "action": "append" if one.many else "store", "default": [] if one.many else None}
        group.addoption(f"--tapedeck-{one.name}", help=one.help, **how)
    parser.addini("tapedeck_cassette", "cassettes, searched in this order", type="paths", default=[])


def _passed(config: pytest.Config, mode: str) -> list[str]:
    words: list[str] = []
    for one in _PASSED:
        value = config.getoption(f"--tapedeck-{one.name}")
        if not value:
            continue
        if mode not in one.modes and "none" in one.modes:
            warnings.warn(pytest.PytestWarning(f"tapedeck: --tapedeck-{one.name} is left out with --tapedeck={mode}"), stacklevel=2)
            continue
        if mode not in one.modes:
            raise pytest.UsageError(f"--tapedeck-{one.name} requires --tapedeck={' or '.join(one.modes)}")
        if value is True:
            words.append(one.option)
        for text in [] if value is True else value if one.many else [value]:
            words += [one.option, text]
    return words


def _effects(config: pytest.Config, mode: str) -> list[str]:
    files = config.getoption("--tapedeck-effects")
    if mode == "none":
        return [word for file in files for word in (["--effects"] if file is True else ["--overlay", file])]
    if files:
        warnings.warn(pytest.PytestWarning("tapedeck: effects are left out while recording"), stacklevel=2)
    return []


def _fits(name: str, pattern: str) -> bool:
    """Matches as the program does: only `*` is special."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name) is not None


class Selected(NamedTuple):
    """The scopes of the tests that will run."""

    own: list[str]
    shared: list[str]  # those of classes and of the session, which other tests may need as a whole


def _rerecorded(config: pytest.Config, mode: str, selected: Selected | None) -> list[str]:
    own = [] if selected is None else [spelled(name) for name in selected.own]
    every = own + ([] if selected is None else [spelled(name) for name in selected.shared])
    names: list[str] = []
    for pattern in config.getoption("--tapedeck-rerecord"):
        if mode != "new":
            raise pytest.UsageError("--tapedeck-rerecord requires --tapedeck=new")
        if pattern is True and selected is None:
            raise pytest.UsageError("--tapedeck-rerecord requires a PATTERN with pytest-xdist, whose workers select the tests")
        if pattern is not True and selected is not None and not any(_fits(name, pattern) for name in every):
            raise pytest.UsageError(f"--tapedeck-rerecord {pattern}: no selected test has a scope that matches, such as {every[0]}")
        names += own if pattern is True else [pattern]
    return [word for name in names for word in ("--rerecord", name)]


def cassettes_of(config: pytest.Config) -> list[str]:
    return config.getoption("--tapedeck-cassette") or [str(path) for path in config.getini("tapedeck_cassette")]


def _within(path: str | os.PathLike[str]) -> str:
    """Returns the path relative to the working directory if it is in there."""
    relative = os.path.relpath(path)
    return os.fspath(path) if relative.startswith("..") else relative


def remedy_of(item: pytest.Item, tape: Tape, options: Sequence[str], is_of_exec: bool) -> str:
    """Returns the command that lets `item` pass. `options` are those of `tapedeck exec` that help (docs/control-api.md)."""
    _, mark, rest = item.nodeid.removesuffix(f"@{group_of(item)}").partition("::")
    is_shared = tape.fixture != "tape"  # such a scope is recorded by all tests that use it
    pytest_words = ["pytest"] if is_shared else ["pytest", _within(item.path) + mark + rest]
    records = options[:1] == ["--mode"]
    title = "record this test" if records else "replay with other options"
    if is_of_exec or not records:
        theirs = os.environ.get("TAPEDECK_CASSETTES", "").split(os.pathsep) if is_of_exec else cassettes_of(item.config)
        return f"{title}: {shlex.join(['tapedeck', 'exec', *options, *map(_within, theirs), '--', *pytest_words])}"
    words = [*pytest_words, "--tapedeck=new", "--tapedeck-device", "URL"]
    given = item.config.getoption("--tapedeck-cassette")
    words += ["--tapedeck-cassette", _within(given[0])] if given else []
    words += ["--tapedeck-allow-writes"] if "--allow-writes" in options else []
    if "--rerecord" in options:
        words += ["--tapedeck-rerecord", *([tape.name] if is_shared else [])]
    return f"{title}: {shlex.join(words)}"


def own_words(line: str) -> str:
    """Returns a line of the program with the names that this plugin has for its options. Whole commands stay."""
    for one in () if "`tapedeck " in line else _PASSED:
        line = line.replace(one.option, f"--tapedeck-{one.name}")
    return line


def ignored_under_exec(config: pytest.Config) -> list[str]:
    """Returns the given options that have no effect on the server of `tapedeck exec`."""
    theirs = [os.path.realpath(path) for path in os.environ.get("TAPEDECK_CASSETTES", "").split(os.pathsep)]
    ours = config.getoption("--tapedeck-cassette")
    names = ["--tapedeck-cassette"] if any(os.path.realpath(path) not in theirs for path in ours) else []
    names += ["--tapedeck"] if config.getoption("--tapedeck") != "none" else []
    others = ["builtin", "strict", "effects", "rerecord", *(one.name for one in _PASSED)]
    return names + [f"--tapedeck-{name}" for name in others if config.getoption(f"--tapedeck-{name}") not in (None, False, [])]


def arguments(config: pytest.Config, selected: Selected | None, check: bool = True) -> list[str] | None:
    """Returns the program's command line. `selected` are the scopes of the tests that will run, if known.

    Raises UsageError for options that do not fit together. Without `check`, returns None if no cassette is configured.
    """
    cassettes = cassettes_of(config)
    mode = config.getoption("--tapedeck")
    if not cassettes and not config.getoption("--tapedeck-builtin"):
        if not check:
            return None
        raise pytest.UsageError("no cassette for the fixture `tape`\nhint: use --tapedeck-cassette CASSETTE, set tapedeck_cassette "
                                "in pytest.ini, or use --tapedeck-builtin for built-in responses only")
    strict = config.getoption("--tapedeck-strict")
    words = ["--exit-with-stdin", *_passed(config, mode), *_effects(config, mode), *_rerecorded(config, mode, selected)]
    words += [] if strict is None else [f"--strict={strict}" if strict else "--strict"]
    if mode == "none":
        missing = [path for path in cassettes if not os.path.exists(path)]
        if missing:
            raise pytest.UsageError(f"no such cassette: {missing[0]}\nhint: --tapedeck=new --tapedeck-device URL records one")
        return ["replay", *words, *cassettes]
    if not config.getoption("--tapedeck-device") or len(cassettes) != 1:
        raise pytest.UsageError(f"--tapedeck={mode} requires --tapedeck-device and exactly one --tapedeck-cassette")
    return ["record", *([] if mode == "all" else ["--mode", mode]), *words, *cassettes]
