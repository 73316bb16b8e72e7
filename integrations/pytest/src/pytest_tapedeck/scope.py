"""Converts the ID of a test to the name of its scope."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    import pytest

MOST_BYTES = 1000
SHORTENED = 180  # characters
SESSION = "tape_session"  # the scope of the fixture with this name
_ROOT_FILES = ("pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", "setup.py", ".git")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")


def _root_of(item: pytest.Item | pytest.Class) -> Path:
    """Returns the folder of the project's root file, regardless of the working directory and the arguments."""
    if item.config.inipath is not None:
        return item.config.inipath.parent
    for folder in item.path.parents:
        if any((folder / name).exists() for name in _ROOT_FILES):
            return folder
    return item.config.rootpath


def name_of_test(node: pytest.Item | pytest.Class, group: str | None = None) -> str:
    """Returns the scope of a test or class: its node ID relative to the project's root file."""
    root = _root_of(node)
    file, mark, rest = node.nodeid.partition("::")
    if node.path.is_relative_to(root):
        file = node.path.relative_to(root).as_posix()
    return scope_name(file + mark + rest, group)


def group_of(item: pytest.Item) -> str | None:
    """Returns the group of pytest-xdist, which appends it to the node ID."""
    mark = item.get_closest_marker("xdist_group")
    return None if mark is None else mark.kwargs.get("name", mark.args[0] if mark.args else "default")


def scope_name(nodeid: str, group: str | None = None) -> str:
    """Returns the name before percent-encoding.

    Removes the `@group` that xdist appends with --dist loadgroup. An ID that is too long for a scope or has control
    characters is shortened and gets 16 hex digits of its SHA-256, so that it stays unique.
    """
    text = nodeid.encode("utf-8", "replace").decode("utf-8")
    if group and text.endswith(f"@{group}"):
        text = text[: -len(group) - 1]
    if len(text.encode()) <= MOST_BYTES and not _CONTROLS.search(text):
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f"{_CONTROLS.sub(' ', text)[:SHORTENED]}~{digest}"


def spelled(name: str, run: int = 1) -> str:
    """Encodes the name as in JSON, options, and the journal."""
    text = name.replace("%", "%25").replace("#", "%23").replace(";", "%3B")
    return f"{text}#{run}" if run > 1 else text


def in_header(name: str, run: int = 1) -> str:
    return quote(name, safe="") + (f"#{run}" if run > 1 else "")


def segment(name: str, run: int = 1) -> str:
    """Encodes the name as the first segment of a path."""
    return "/~scope/" + quote(name, safe="") + (f";{run}" if run > 1 else "")
