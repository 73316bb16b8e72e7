"""A typical client of a device."""

import json
from urllib.parse import urlencode
from urllib.request import ProxyHandler, build_opener

_opener = build_opener(ProxyHandler({}))


class Nas:
    def __init__(self, base: str) -> None:
        self._base = base
        self._sid = "none"

    def log_in(self, account: str = "robin", password: str = "made up") -> None:
        self._sid = self.call("SVC.API.Auth", 7, "login", account=account, passwd=password, format="sid")["sid"]

    def call(self, api: str, version: int, method: str, **parameters):
        query = urlencode({"api": api, "version": version, "method": method, **parameters, "_sid": self._sid})
        with _opener.open(f"{self._base}/webapi/entry.cgi?{query}", timeout=20) as answer:
            said = json.load(answer)
        if not said["success"]:
            raise RuntimeError(f"{api} {method}: error {said['error']['code']}")
        return said.get("data")
