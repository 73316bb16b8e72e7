"""Prints how full the shared folders of a storage device are.

    NAS_URL=http://nas.example:5000 NAS_ACCOUNT=ann NAS_PASSWORD=... python3 client.py

Under `tapedeck exec` the variable TAPEDECK_URL names the server. The client has a bug on purpose: it expects a field that
the newer of the two firmwares in this folder calls by another name.
"""

import json
import os
import urllib.parse
import urllib.request


class Device:
    """A session with the device's Web API."""

    def __init__(self, url):
        self.url = url
        self.sid = None

    def call(self, api, version, method, **params):
        """Returns the data of a response; raises RuntimeError with the error code."""
        query = {"api": api, "version": version, "method": method, **params}
        if self.sid:
            query["_sid"] = self.sid
        url = f"{self.url}/webapi/entry.cgi?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(url, timeout=10) as response:
            result = json.load(response)
        if not result["success"]:
            raise RuntimeError(f"{api} {method}: error {result['error']['code']}")
        return result.get("data")

    def log_in(self, account, password):
        data = self.call("SYNO.API.Auth", 3, "login", account=account, passwd=password, format="sid")
        self.sid = data["sid"]


def share_lines(device):
    """Yields one line for each shared folder."""
    for share in device.call("SYNO.Core.Share", 1, "list")["shares"]:
        details = device.call("SYNO.Core.Share", 1, "get", name=share["name"])
        used, quota = details["used_mb"], details["quota"]
        yield f"{share['name']:<12} {used:>8} MB of {quota or 'any'}"


def main():
    device = Device(os.environ.get("TAPEDECK_URL") or os.environ["NAS_URL"])
    device.log_in(os.environ.get("NAS_ACCOUNT", "ann"), os.environ.get("NAS_PASSWORD", "none"))
    for line in share_lines(device):
        print(line)
    for volume in device.call("SYNO.Core.Storage.Volume", 1, "list")["volumes"]:
        print(f"{volume['id']:<12} {volume['status']}")
    device.call("SYNO.API.Auth", 3, "logout")


if __name__ == "__main__":
    main()
