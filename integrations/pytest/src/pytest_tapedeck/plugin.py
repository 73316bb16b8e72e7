"""The fixture `tape`, and the server behind it.

One server serves the whole run. With pytest-xdist the controller owns it, and the workers are told where it is; under
`tapedeck exec` it is there already.
"""

from __future__ import annotations

import os
from typing import Any, Iterator, NamedTuple

import pytest

from .control import Control
from .scope import scope_name
from .server import Server, next_run
from .tape import Tape

_MODES = ("none", "new", "once", "all")


class Running(NamedTuple):
    url: str
    control_url: str
    token: str


_running = pytest.StashKey[Running]()
_server = pytest.StashKey[Server]()
_tape = pytest.StashKey[Tape]()
_ok = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tapedeck", "recordings of a storage device")
    group.addoption("--tapedeck", choices=_MODES, default="none",
                    help="none: replay (default); from --tapedeck-device, new: record what the cassette lacks, "
                    "once: if there is no cassette, all: everything anew")
    group.addoption("--tapedeck-cassette", action="append", default=[], metavar="CASSETTE", help="may be given again")
    group.addoption("--tapedeck-device", metavar="URL", help="the device to record from")
    parser.addini("tapedeck_cassette", "cassettes, asked in this order", type="paths", default=[])


def _arguments(config: pytest.Config) -> list[str]:
    cassettes = config.getoption("--tapedeck-cassette") or [str(path) for path in config.getini("tapedeck_cassette")]
    mode = config.getoption("--tapedeck")
    if mode == "none":
        return ["replay", "--exit-with-parent", *cassettes]
    device = config.getoption("--tapedeck-device")
    if not device or len(cassettes) != 1:
        raise pytest.UsageError(f"--tapedeck={mode} needs --tapedeck-device and one --tapedeck-cassette")
    return ["record", *([] if mode == "all" else ["--mode", mode]), "--device", device, *cassettes]


def _start(config: pytest.Config) -> Running:
    """Starts the server, or finds the one that is there."""
    if _running not in config.stash:
        environment = [os.environ.get(name) for name in ("TAPEDECK_URL", "TAPEDECK_CONTROL_URL", "TAPEDECK_TOKEN")]
        worker = getattr(config, "workerinput", None)
        if worker is not None:
            config.stash[_running] = Running(*worker["tapedeck"])
        elif all(environment):
            config.stash[_running] = Running(*environment)
        else:
            server = Server(_arguments(config))
            config.stash[_server] = server
            config.stash[_running] = Running(server.url, server.control.url, server.control.token)
    return config.stash[_running]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Of pytest-xdist, in the controller: before a worker starts."""
    node.workerinput["tapedeck"] = list(_start(node.config))


def pytest_unconfigure(config: pytest.Config) -> None:
    if _server in config.stash:
        config.stash[_server].stop()
        del config.stash[_server]


@pytest.fixture
def tape(request: pytest.FixtureRequest) -> Iterator[Tape]:
    """A recording for this test alone: `tape.url` is the base URL for its client."""
    running = _start(request.config)
    mark = request.node.get_closest_marker("xdist_group")
    group = None if mark is None else mark.kwargs.get("name", mark.args[0] if mark.args else "default")
    name = scope_name(request.node.nodeid, group)
    one = next_run(running.url, Control(running.control_url, running.token), name)
    request.node.stash[_tape] = one
    request.node.stash[_ok] = False
    yield one
    one.finish(request.node.stash.get(_ok, False))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    outcome = yield
    result = outcome.get_result()
    one = item.stash.get(_tape, None)
    if result.when == "call":
        item.stash[_ok] = not result.failed
    if result.when == "call" and result.failed and one is not None:
        try:
            text = one.report()
        except OSError as error:
            text = f"it says nothing of it: {error}"
        result.sections.append(("tapedeck", text))
