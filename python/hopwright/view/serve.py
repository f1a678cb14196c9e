"""The page on this machine's own address, and the files that it reads piece by piece."""

import contextlib
import io
import os
import re
import sys
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from hopwright._io.errors import InputError
from hopwright._io.warn import warn
from hopwright.view.folder import Run
from hopwright.view.packed import HEARD
from hopwright.view.page import page_of_addresses
from hopwright.view.served import addresses, indexed

if TYPE_CHECKING:
    from hopwright._io.data import Object

HOST = "127.0.0.1"
RANGE = re.compile(r"bytes=(\d*)-(\d*)")
PIECE = 1 << 20
PARQUET = "application/vnd.apache.parquet"


def server(runs: Sequence[Run], port: int = 0) -> ThreadingHTTPServer:
    """A server of the page of these runs; nobody but this machine reaches it.

    `port`: 0 takes one that is free. Raises `InputError` if that port is taken.
    """
    contents: dict[str, Path | bytes] = {}
    told: list[Object] = []
    for number, run in enumerate(runs):
        about, heard = indexed(run)
        where = addresses(number, run)
        for name, address in where.items():
            contents[f"/{address}"] = heard if name == HEARD else run.folder / name
        told.append({**about, "files": {**where}})
    contents["/"] = page_of_addresses(told)
    try:
        return _Server(contents, port)
    except OSError as error:
        raise InputError(f"--port {port}: cannot be used: {error.strerror}") from error


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, contents: Mapping[str, Path | bytes], port: int) -> None:
        super().__init__((HOST, port), _Handler)
        self.contents = contents

    def handle_error(self, request: object, client_address: object) -> None:  # noqa: ARG002
        """Says what went wrong with a request in one line; the page may ask again."""
        warn(f"the page could not be answered: {sys.exception()!r}")

    def is_meant(self, host: str | None) -> bool:
        """Whether a request is for this server: no page elsewhere reads files by another name."""
        return host in {f"{name}:{self.server_port}" for name in (HOST, "localhost")}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def handle(self) -> None:
        # A client that goes away is no fault, wherever that shows.
        with contextlib.suppress(ConnectionError):
            super().handle()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class has it
        """Says nothing: the command has said where the page is."""

    def _answer(self, *, with_body: bool) -> None:
        content = self.server.contents.get(self.path.split("?")[0].split("#")[0])
        if not self.server.is_meant(self.headers.get("Host")):
            self.send_error(HTTPStatus.FORBIDDEN, "this server has another name")
            return
        if content is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        try:
            file = io.BytesIO(content) if isinstance(content, bytes) else content.open("rb")
        except OSError:
            self.send_error(HTTPStatus.GONE, "the file cannot be read any more")
            return
        with file:
            self._answer_with(file, with_body=with_body)

    def _answer_with(self, file: BinaryIO, *, with_body: bool) -> None:
        size = file.seek(0, os.SEEK_END)
        try:
            part = _part(self.headers.get("Range"), size)
        except ValueError:
            self.send_response(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
            self.send_header("Content-Range", f"bytes */{size}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        first, end = part or (0, size)
        self.send_response(HTTPStatus.PARTIAL_CONTENT if part else HTTPStatus.OK)
        is_page = self.path.split("?")[0] == "/"
        self.send_header("Content-Type", "text/html; charset=utf-8" if is_page else PARQUET)
        self.send_header("Content-Length", str(end - first))
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        if part:
            self.send_header("Content-Range", f"bytes {first}-{end - 1}/{size}")
        self.end_headers()
        if with_body:
            # A page that has gone on to another moment does not wait for the rest.
            with contextlib.suppress(ConnectionError):
                self._send(file, first, end)

    def _send(self, file: BinaryIO, first: int, end: int) -> None:
        left = end - first
        file.seek(first)
        while left > 0 and (piece := file.read(min(left, PIECE))):
            self.wfile.write(piece)
            left -= len(piece)
        if left:  # the file has become shorter: who waits for the rest is told that there is none
            self.close_connection = True


def _part(asked: str | None, size: int) -> tuple[int, int] | None:
    """The bytes that a request asks for, the last not included; None: all.

    Several ranges in one request are answered with all. Raises `ValueError` for what is not there.
    """
    found = RANGE.fullmatch(asked.strip()) if asked else None
    if found is None or found.groups() == ("", ""):
        return None
    first, last = found.groups()
    if not first:
        wanted = min(int(last), size)
        if not wanted:
            raise ValueError(asked)
        return size - wanted, size
    begin, end = int(first), min(int(last) + 1 if last else size, size)
    if begin >= end:
        raise ValueError(asked)
    return begin, end
