"""The control API of one run (docs/control-api.md)."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any, Mapping
from urllib.parse import urlencode

_TIMEOUT = 70  # seconds; an assert may wait for 60

# Requests to this machine bypass proxies of the environment.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class ControlError(Exception):
    """`status` is that of the response, or 0 if the server is gone."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Control:
    def __init__(self, url: str, token: str) -> None:
        self.url = url
        self.token = token

    def get(self, path: str, **parameters: Any) -> Any:
        query = urlencode({name: value for name, value in parameters.items() if value is not None})
        return self._ask("GET", f"{path}?{query}" if query else path)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._ask("POST", path, json.dumps(body).encode())

    def _ask(self, method: str, path: str, body: bytes | None = None) -> Any:
        headers = {"X-Tapedeck-Token": self.token, "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data=body, headers=headers, method=method)
        try:
            with _opener.open(request, timeout=_TIMEOUT) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            text = error.read().decode("utf-8", "replace")
            raise ControlError(error.code, f"Tapedeck: {method} {path}: {error.code} {text}") from None
        except OSError as error:
            reason = getattr(error, "reason", error)
            raise ControlError(0, f"Tapedeck: the server at {self.url} is gone ({reason})") from None
