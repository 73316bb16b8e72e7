"""A name server on 127.0.0.1 for packaging/check.sh: every name has the address 127.0.0.1, and no IPv6 address."""

import socket

server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 53))
while True:
    query, client = server.recvfrom(512)
    end = query.index(b"\0", 12) + 5  # of the question: a name, its type, and its class
    wants_ipv4 = query[end - 4:end - 2] == b"\0\x01"
    answer = b"\xc0\x0c\0\x01\0\x01\0\0\0\0\0\x04\x7f\0\0\x01" if wants_ipv4 else b""
    server.sendto(query[:2] + b"\x81\x80\0\x01\0" + bytes([wants_ipv4]) + b"\0\0\0\0" + query[12:end] + answer, client)
