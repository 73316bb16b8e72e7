"""The plugin's options, and the command line of `tapedeck` that they make."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import pytest

_MODES = ("none", "new", "once", "all")
_REPLAY, _RECORD, _NEW = ("none",), ("new", "once", "all"), ("new",)


class _Passed(NamedTuple):
    """An option that is passed on to the program."""

    name: str  # behind --tapedeck-
    option: str
    modes: tuple[str, ...]  # in which the program takes it
    help: str
    metavar: str | None = None  # without one it is a flag
    many: bool = False


_PASSED = (
    _Passed("device", "--device", _RECORD, "the device to record from", "URL"),
    _Passed("pin", "--pin-sha256", _RECORD, "fingerprint of the device's certificate", "SHA256"),
    _Passed("ca", "--ca-file", _RECORD, "certificates that the device's certificate is checked against", "FILE"),
    _Passed("insecure", "--insecure", _RECORD, "do not check the device's certificate"),
    _Passed("account", "--device-account", _NEW, "log in at the device as this account", "NAME"),
    _Passed("password-file", "--device-password-file", _NEW, "its password; else TAPEDECK_DEVICE_PASSWORD", "FILE"),
    _Passed("allow-writes", "--allow-writes", _NEW, "also send calls that change the device"),
    _Passed("overlay", "--overlay", ("none", "new", "once"), "overlay file; may be given again", "FILE", many=True),
    _Passed("at-end", "--at-end", _REPLAY, "what a sequence does after its last response", "HOW"),
)


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("tapedeck", "recordings of a storage device")
    group.addoption("--tapedeck", choices=_MODES, default="none",
                    help="none: replay (default); from --tapedeck-device, new: record what the cassette lacks, "
                    "once: if there is no cassette, all: everything anew")
    group.addoption("--tapedeck-cassette", action="append", default=[], metavar="CASSETTE", help="may be given again")
    group.addoption("--tapedeck-builtin", action="store_true", help="no cassette: built-in responses only")
    group.addoption("--tapedeck-strict", nargs="?", const="", metavar="LIST",
                    help="fail the run for what `tapedeck replay --strict[=LIST]` names")
    group.addoption("--tapedeck-rerecord", nargs="?", const=True, action="append", default=[], metavar="PATTERN",
                    help="with --tapedeck=new: record the selected tests again, or those whose scope fits PATTERN")
    for one in _PASSED:
        how: dict[str, Any] = {"action": "store_true"}
        if one.metavar is not None:
            how = {"metavar": one.metavar, "action": "append" if one.many else "store", "default": [] if one.many else None}
        group.addoption(f"--tapedeck-{one.name}", help=one.help, **how)
    parser.addini("tapedeck_cassette", "cassettes, asked in this order", type="paths", default=[])


def _passed(config: pytest.Config, mode: str) -> list[str]:
    words: list[str] = []
    for one in _PASSED:
        value = config.getoption(f"--tapedeck-{one.name}")
        if not value:
            continue
        if mode not in one.modes:
            raise pytest.UsageError(f"--tapedeck-{one.name} is for --tapedeck={' or '.join(one.modes)}")
        if value is True:
            words.append(one.option)
        for text in [] if value is True else value if one.many else [value]:
            words += [one.option, text]
    return words


def _rerecorded(config: pytest.Config, mode: str, selected: list[str] | None) -> list[str]:
    names: list[str] = []
    for pattern in config.getoption("--tapedeck-rerecord"):
        if mode != "new":
            raise pytest.UsageError("--tapedeck-rerecord is for --tapedeck=new")
        if pattern is True and selected is None:
            raise pytest.UsageError("--tapedeck-rerecord needs a PATTERN with pytest-xdist: tests are selected in its workers")
        names += selected if pattern is True else [pattern]  # type: ignore[operator]
    return [word for name in names for word in ("--rerecord", name)]


def arguments(config: pytest.Config, selected: list[str] | None, check: bool = True) -> list[str] | None:
    """The program's command line. `selected`: the scopes of the tests that will run, where they are known.

    Raises UsageError for what does not fit; with `check` off, returns None if no cassette is configured.
    """
    cassettes = config.getoption("--tapedeck-cassette") or [str(path) for path in config.getini("tapedeck_cassette")]
    mode = config.getoption("--tapedeck")
    if not cassettes and not config.getoption("--tapedeck-builtin"):
        if not check:
            return None
        raise pytest.UsageError("no cassette for the fixture `tape`: give --tapedeck-cassette CASSETTE, or set tapedeck_cassette "
                                "in pytest.ini; --tapedeck-builtin plays built-in responses alone")
    strict = config.getoption("--tapedeck-strict")
    words = ["--exit-with-stdin", *_passed(config, mode), *_rerecorded(config, mode, selected)]
    words += [] if strict is None else [f"--strict={strict}" if strict else "--strict"]
    if mode == "none":
        missing = [path for path in cassettes if not os.path.exists(path)]
        if missing:
            raise pytest.UsageError(f"there is no cassette {missing[0]}; --tapedeck=new --tapedeck-device URL records one")
        return ["replay", *words, *cassettes]
    if not config.getoption("--tapedeck-device") or len(cassettes) != 1:
        raise pytest.UsageError(f"--tapedeck={mode} needs --tapedeck-device and one --tapedeck-cassette")
    return ["record", *([] if mode == "all" else ["--mode", mode]), *words, *cassettes]
