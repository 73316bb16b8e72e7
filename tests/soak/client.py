"""A client of raw HTTP/1.1 with one keep-alive connection, and the result of each request."""

import socket
from urllib.parse import quote, urlencode


class Broken(Exception):
    """The connection ended before the response was complete."""


class Client:
    def __init__(self, url, base="", timeout=30):
        host, port = url.removeprefix("http://").rstrip("/").split(":")
        self.address = (host, int(port))
        self.base = base
        self.timeout = timeout
        self.socket = None
        self.rest = b""

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket, self.rest = None, b""

    def connect(self):
        self.close()
        self.socket = socket.create_connection(self.address, self.timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, data):
        if not self.socket:
            self.connect()
        self.socket.sendall(data)

    def more(self):
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError as error:
            self.close()
            raise Broken("reset") from error
        if not data:
            self.close()
            raise Broken("closed")
        self.rest += data

    def answer(self):
        """Returns (status, head as a dict of lower-case names, body)."""
        while b"\r\n\r\n" not in self.rest:
            self.more()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        fields = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines[1:])}
        size = int(fields.get("content-length", 0))
        while len(self.rest) < size:
            self.more()
        body, self.rest = self.rest[:size], self.rest[size:]
        status = int(lines[0].split(" ")[1])
        if fields.get("connection", "").lower() == "close":
            self.close()
        return status, fields, body.decode("utf-8", "replace")

    def call(self, api, version, method, sid=None, **params):
        query = {"api": api, "version": version, "method": method, **params}
        if sid:
            query["_sid"] = sid
        target = f"{self.base}/webapi/entry.cgi?{urlencode(query, quote_via=quote)}"
        self.send(f"GET {target} HTTP/1.1\r\nHost: {self.address[0]}:{self.address[1]}\r\n\r\n".encode())
        return self.answer()

    def login(self, account, password):
        form = urlencode({"api": "SYNO.API.Auth", "version": 6, "method": "login", "account": account,
                          "passwd": password, "format": "sid"}).encode()
        head = (f"POST {self.base}/webapi/entry.cgi HTTP/1.1\r\nHost: {self.address[0]}:{self.address[1]}\r\n"
                f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(form)}\r\n\r\n")
        self.send(head.encode() + form)
        return self.answer()
