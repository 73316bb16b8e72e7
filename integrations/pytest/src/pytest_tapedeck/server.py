"""The running program."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import Sequence

from .control import Control
from .scope import spelled
from .tape import Tape

_PATIENCE = 20  # seconds, to come up and to end
_LOCAL = ("127.0.0.1", "localhost", "::1")
_WARNING = re.compile(r"^\S+Z (?:warning|error|critical) +(.*)$", re.MULTILINE)


def find_program() -> str:
    """Returns TAPEDECK_BIN, or `tapedeck` of this Python environment (the package tapedeck-bin), or `tapedeck` in PATH."""
    installed = shutil.which("tapedeck", path=sysconfig.get_path("scripts"))
    program = os.environ.get("TAPEDECK_BIN") or installed or shutil.which("tapedeck")
    if not program:
        raise FileNotFoundError("cannot find the tapedeck program: it is not in PATH, and TAPEDECK_BIN is not set")
    return program


class Server:
    """Serves from construction until stop(), or until this process ends and closes the pipe to the program."""

    def __init__(self, arguments: Sequence[str]) -> None:
        """`arguments` are those of `tapedeck`, without addresses."""
        self.status: int | None = None
        self._text = ""
        program = find_program()
        self._folder = tempfile.mkdtemp(prefix="tapedeck-")
        self._said = Path(self._folder, "said")
        ready = Path(self._folder, "ready")
        command = [program, *arguments, "--listen", "127.0.0.1:0", "--control", "127.0.0.1:0", "--ready-file", str(ready)]
        with open(self._said, "wb") as said:
            # In its own session, so that Ctrl-C reaches only pytest, which then stops the program.
            self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=said, stderr=said, start_new_session=True)
        lines = self._when_ready(ready)
        values = dict(line.split("=", 1) for line in lines[1:])
        self.url = lines[0]
        self.control = Control(values["control"], values["token"])

    def _when_ready(self, file: Path) -> list[str]:
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end and self._child.poll() is None:
            text = file.read_text() if file.exists() else ""
            if text.endswith("\n"):
                return text.splitlines()
            time.sleep(0.01)
        self.stop()
        said = self.said().removeprefix("tapedeck: ")
        raise RuntimeError(f"tapedeck did not start: {said or 'no output'}")

    def said(self) -> str:
        """Returns what the program has printed so far."""
        if self.status is None:
            self._text = self._said.read_text(errors="replace")
        return self._text.strip()

    def warnings(self) -> list[str]:
        """Returns its warnings, such as misses and refused requests, without duplicates."""
        return list(dict.fromkeys(_WARNING.findall(self.said())))

    def stop(self) -> int:
        """Stops the program and returns its exit status."""
        if self.status is not None:
            return self.status
        self._child.terminate()
        try:
            status = self._child.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._child.kill()
            status = self._child.wait()
        assert self._child.stdin is not None
        self._child.stdin.close()
        self.said()
        self.status = status
        shutil.rmtree(self._folder, ignore_errors=True)
        return status


def bypass_proxies() -> None:
    """Adds the names of this machine to NO_PROXY, as `tapedeck exec` does."""
    for name in ("NO_PROXY", "no_proxy"):
        names = [one for one in os.environ.get(name, "").split(",") if one]
        if "*" not in names:
            os.environ[name] = ",".join(dict.fromkeys([*names, *_LOCAL]))


def next_run(server_url: str, control: Control, name: str, fixture: str = "tape") -> Tape:
    """Starts a scope for a test. For a known name, starts its next run."""
    run = control.post("/scope/runs", {"name": spelled(name)})["run"]
    return Tape(server_url, control, name, run, fixture)
