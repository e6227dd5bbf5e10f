# SPDX-License-Identifier: Apache-2.0
"""Frames: a 4-byte little-endian length and that many bytes of JSON, over a stream socket."""

from __future__ import annotations

import array
import json
import socket
import struct
from collections import deque
from typing import Any, Callable, Deque, Dict, List, Optional, Sequence

from opalign.worker.errors import ConnectionClosed, ProtocolError

MAX_FRAME = 64 << 20
_CHUNK = 1 << 16
_LENGTH = struct.Struct("<I")

Frame = Dict[str, Any]


class FrameTooLarge(Exception):
    pass


def _no_constant(text: str) -> Any:
    raise ProtocolError(f"{text} in a frame")


def _make_encode() -> Callable[[Frame], str]:
    encoder = json.JSONEncoder(
        separators=(",", ":"), allow_nan=False, check_circular=False, ensure_ascii=True
    )
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:  # an interpreter without the accelerator
        return encoder.encode
    # JSONEncoder.encode makes this object again for each call.
    chunks = make(
        None,
        encoder.default,
        json.encoder.encode_basestring_ascii,
        None,
        ":",
        ",",
        False,
        False,
        False,
    )
    return lambda frame: "".join(chunks(frame, 0))


# json.loads and json.dumps look at their options on each call; these are made once.
_decode = json.JSONDecoder(parse_constant=_no_constant).raw_decode
_encode = _make_encode()


class Channel:
    """One end of a socket pair."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(True)
        self._socket = sock
        self._rest = b""

    def receive(self) -> Optional[Frame]:
        """The next frame, None at the end of the stream."""
        data = self._rest or self._read()
        while len(data) < 4:
            more = self._read() if data else b""
            if not more:
                if data:
                    raise ProtocolError("the stream ends inside a frame")
                return None
            data += more
        end = 4 + _LENGTH.unpack_from(data)[0]
        if end > MAX_FRAME + 4:
            raise ProtocolError(f"a frame of {end - 4} bytes")
        if len(data) < end:
            data = self._read_up_to(data, end)
        self._rest = data[end:]
        return _parse(data[4:end])

    def send(self, frame: Frame, fds: Sequence[int] = ()) -> None:
        body = _encode(frame).encode("ascii")
        if len(body) > MAX_FRAME:
            raise FrameTooLarge(f"an answer of {len(body)} bytes")
        data = _LENGTH.pack(len(body)) + body
        try:
            if fds:
                rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))
                data = data[self._socket.sendmsg([data], [rights]) :]
            if data:
                self._socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            raise ConnectionClosed from None

    def _read(self) -> bytes:
        """Empty at the end of the stream."""
        try:
            return self._socket.recv(_CHUNK)
        except ConnectionResetError:
            return b""

    def _read_up_to(self, data: bytes, end: int) -> bytes:
        parts = bytearray(data)
        while len(parts) < end:
            more = self._read()
            if not more:
                raise ProtocolError("the stream ends inside a frame")
            parts += more
        return bytes(parts)


class ControlChannel(Channel):
    """A channel whose frames may bring file descriptors; they queue in `fds`, in order."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__(sock)
        self.fds: Deque[int] = deque()

    def has_buffered(self) -> bool:
        return bool(self._rest)

    def _read(self) -> bytes:
        room = socket.CMSG_SPACE(16 * array.array("i").itemsize)
        data, ancillary, _flags, _address = self._socket.recvmsg(
            _CHUNK, room, socket.MSG_CMSG_CLOEXEC
        )
        for level, kind, payload in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                fds = array.array("i")
                fds.frombytes(payload[: len(payload) - len(payload) % fds.itemsize])
                self.fds.extend(fds)
        return data


def _parse(body: bytes) -> Frame:
    try:
        text = body.decode("utf-8")
        frame, end = _decode(text)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"a frame that is not JSON: {error}") from None
    if end != len(text) or type(frame) is not dict:
        raise ProtocolError("a frame that is not one JSON object")
    return frame


def take(fds: Deque[int], count: int) -> List[int]:
    if len(fds) < count:
        raise ProtocolError(f"{len(fds)} file descriptors where {count} belong")
    return [fds.popleft() for _ in range(count)]
