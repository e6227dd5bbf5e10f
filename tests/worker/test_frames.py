# SPDX-License-Identifier: Apache-2.0
"""Frames as bytes on a socket pair."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator
from typing import Any

import harness
import pytest
from opalign.worker.errors import ProtocolError
from opalign.worker.frames import Channel, ControlChannel, take


@pytest.fixture
def pair() -> Iterator[Any]:
    opened: list[socket.socket] = []

    def get(kind: Any = Channel) -> tuple[socket.socket, Any]:
        ends = socket.socketpair()
        opened.extend(ends)
        return ends[0], kind(ends[1])

    yield get
    for end in opened:
        end.close()


def frame(body: bytes) -> bytes:
    return struct.pack("<I", len(body)) + body


def test_frames_arrive_in_order_however_they_are_cut(pair: Any) -> None:
    ours, channel = pair()
    data = frame(b'{"a":1}') + frame(b'{"b":2}') + frame(b'{"c":3}')
    ours.sendall(data[:2])
    ours.sendall(data[2:15])
    ours.sendall(data[15:])
    ours.close()
    assert [channel.receive() for _ in range(4)] == [{"a": 1}, {"b": 2}, {"c": 3}, None]


def test_a_frame_larger_than_one_read(pair: Any) -> None:
    ours, channel = pair()
    text = "x" * 100000
    ours.sendall(frame(b'{"a":"' + text.encode() + b'"}') + frame(b"{}"))
    assert channel.receive() == {"a": text}
    assert channel.receive() == {}


@pytest.mark.parametrize(
    "data",
    [
        b"\x05\x00",
        frame(b"{}")[:5],
        frame(b"[1]"),
        frame(b"{} "),
        frame(b"{"),
        frame(b'{"a":NaN}'),
        frame(b'{"a":"\xff"}'),
        frame(b'{"a":' + b"[" * 100000),
        struct.pack("<I", (64 << 20) + 1) + b"{}",
    ],
)
def test_anything_else_is_a_protocol_error(pair: Any, data: bytes) -> None:
    ours, channel = pair()
    ours.sendall(data)
    ours.close()
    with pytest.raises(ProtocolError):
        channel.receive()


def test_what_is_sent_is_a_frame(pair: Any) -> None:
    ours, channel = pair()
    channel.send({"a": "é"})
    assert ours.recv(100) == frame(b'{"a":"\\u00e9"}')
    with pytest.raises(ValueError, match="JSON"):
        channel.send({"a": float("nan")})


def test_descriptors_keep_the_order_of_their_frames(pair: Any) -> None:
    ours, channel = pair(ControlChannel)
    files = [os.memfd_create(str(i)) for i in range(6)]
    wire = harness.Wire(ours)
    wire.send({"n": 1}, files[:3])
    wire.send({"n": 2}, files[3:])
    assert channel.receive()["n"] == 1
    assert channel.receive()["n"] == 2
    got = take(channel.fds, 3) + take(channel.fds, 3)
    assert [os.fstat(fd).st_ino for fd in got] == [os.fstat(fd).st_ino for fd in files]
    with pytest.raises(ProtocolError):
        take(channel.fds, 1)
    for fd in files + got:
        os.close(fd)
