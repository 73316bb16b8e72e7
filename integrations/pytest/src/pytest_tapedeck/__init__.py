"""A recording of a storage device for each test: the fixture `tape`."""

from .server import Server, find_program
from .scope import scope_name
from .tape import Tape

__all__ = ["Server", "Tape", "find_program", "scope_name"]
