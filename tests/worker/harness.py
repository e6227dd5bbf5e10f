# SPDX-License-Identifier: Apache-2.0
"""opalign's side of docs/protocol.md, small and in Python: starts a runner, forks workers, sends
cases. It checks nothing; the tests do."""

from __future__ import annotations

import array
import glob
import json
import mmap
import os
import select
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
MAIN = ROOT / "python/opalign/worker/main.py"
LIAR = ROOT / "tests/liar"
POOL_ELEMENTS = 260096
POOL_DTYPES = {
    "float16": 2,
    "bfloat16": 2,
    "float32": 4,
    "float64": 8,
    "complex64": 8,
    "complex128": 16,
}
FLOAT32_GRADIENTS = POOL_ELEMENTS * 4  # where they start in the pool, in bytes

# Tensors of a run frame: where `conftest.prepared` puts 1 to 16, and 10, 20, 30, 40.
X = [4096, "float32", [4], 1]
Y = [8192, "float32", [4], 1]
PLAIN_X = [4096, "float32", [4], 0]  # no gradient is wanted

sys.path.insert(0, str(ROOT / "python"))


def find_python(framework: str) -> str | None:
    home = os.environ.get("OPALIGN_HOME") or os.path.expanduser("~/.local/share/opalign")
    found = sorted(glob.glob(f"{home}/envs/{framework}@*/bin/python"))
    return found[-1] if found else None


class Gone(Exception):
    """The other side hung up."""


class Wire:
    """Frames on a socket, with a deadline for each."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.fds: list[int] = []

    def send(self, frame: Any, fds: Sequence[int] = ()) -> None:
        body = json.dumps(frame).encode()
        data = struct.pack("<I", len(body)) + body
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
        sent = self.sock.sendmsg([data], rights)
        if sent < len(data):
            self.sock.sendall(data[sent:])

    def receive(self, timeout: float = 30) -> Any:
        end = time.monotonic() + timeout
        size = struct.unpack("<I", self._exactly(4, end))[0]
        return json.loads(self._exactly(size, end))

    def _exactly(self, size: int, end: float) -> bytes:
        data = b""
        while len(data) < size:
            if not select.select([self.sock], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError
            try:
                more, ancillary, _, _ = self.sock.recvmsg(size - len(data), 1024)
            except ConnectionResetError:
                raise Gone from None
            for _, _, payload in ancillary:
                fds = array.array("i")
                fds.frombytes(payload)
                self.fds.extend(fds)
            if not more:
                raise Gone
            data += more
        return data


class Memory:
    """A memfd that the tests write and workers read."""

    def __init__(self, size: int) -> None:
        self.fd = os.memfd_create("test")
        os.ftruncate(self.fd, size)
        self.map = mmap.mmap(self.fd, size)

    def read_only(self) -> int:
        return os.open(f"/proc/self/fd/{self.fd}", os.O_RDONLY)


class Server:
    def __init__(
        self,
        framework: str,
        python: str = sys.executable,
        adapter: Path | None = None,
        preludes: Sequence[Path] = (),
        env: dict[str, str] | None = None,
        output: Any = subprocess.DEVNULL,
    ) -> None:
        ours, theirs = socket.socketpair()
        command = [python, str(MAIN), "--framework", framework, "--control", str(theirs.fileno())]
        command += ["--adapter", str(adapter)] if adapter else []
        for prelude in preludes:
            command += ["--prelude", str(prelude)]
        self.process = subprocess.Popen(
            command,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={**os.environ, "OMP_NUM_THREADS": "1", **(env or {})},
        )
        theirs.close()
        self.control = Wire(ours)
        self.hello = self.control.receive(60)
        self.arena = Memory(1 << 20)
        self.pool = Memory(sum(POOL_ELEMENTS * size for size in POOL_DTYPES.values()))
        self.workers: list[Worker] = []

    def fork(self, memory: int = 0, arena: Memory | None = None) -> Worker:
        ours, theirs = socket.socketpair()
        number = len(self.workers) + 1
        arena = arena or self.arena
        fds = [theirs.fileno(), arena.read_only(), self.pool.read_only()]
        self.control.send({"op": "fork", "worker": number, "threads": 1, "memory": memory}, fds)
        theirs.close()
        for fd in fds[1:]:
            os.close(fd)
        forked = self.control.receive()
        assert forked["op"] == "forked"
        assert forked["worker"] == number
        self.workers.append(Worker(self, number, forked["pid"], Wire(ours), arena))
        return self.workers[-1]

    def exited(self, worker: Worker, timeout: float = 10) -> tuple[int, int]:
        frame = self.control.receive(timeout)
        assert frame["op"] == "exited"
        assert frame["worker"] == worker.number
        return frame["signal"], frame["code"]

    def close(self) -> None:
        self.control.sock.close()
        self.process.wait(10)
        for worker in self.workers:
            worker.close()


class Worker:
    def __init__(self, server: Server, number: int, pid: int, wire: Wire, arena: Memory) -> None:
        self.server = server
        self.number = number
        self.pid = pid
        self.wire = wire
        self.arena = arena
        self.ready = wire.receive(60)
        (self.output,) = wire.fds
        self.ids = 0

    def close(self) -> None:
        """Hangs up; the worker ends."""
        self.wire.sock.close()
        if self.output >= 0:
            os.close(self.output)
        self.output = -1

    def end(self) -> None:
        """Hangs up and waits until the forkserver has reported it."""
        self.close()
        assert self.server.exited(self) == (0, 0)

    def put(self, offset: int, data: bytes) -> None:
        self.arena.map[offset : offset + len(data)] = data

    def send(self, steps: Any, tensors: Any = (), fetch: Any = ("result",), **more: Any) -> int:
        """`steps`: the text of an eval step, or a list of steps."""
        if isinstance(steps, str):
            names = {name: {"$": "tensor", "i": i} for i, name in enumerate("xyzw"[: len(tensors)])}
            steps = [{"eval": steps, "names": names, "to": "result"}]
        self.ids += 1
        program = {"steps": steps, "fetch": list(fetch), "backward": more.pop("backward", 0)}
        program["clone"] = more.pop("clone", [])
        frame = {"op": "run", "id": self.ids, "slot": self.ids % 2, "tensors": list(tensors)}
        self.wire.send({**frame, "program": program, "pool": 0, **more})
        return self.ids

    def run(self, steps: Any, tensors: Any = (), timeout: float = 30, **more: Any) -> Any:
        ident = self.send(steps, tensors, **more)
        answer = self.wire.receive(timeout)
        assert answer["id"] == ident
        return answer

    def ask(self, **frame: Any) -> Any:
        self.wire.send(frame)
        return self.wire.receive()

    def bytes_of(self, leaf: Any, answer: Any) -> bytes:
        """What an answer's leaf points at."""
        from opalign.worker.dtypes import SIZES

        size = SIZES[leaf["d"]]
        for length in leaf["s"]:
            size *= length
        return os.pread(self.output, size, leaf["o"])

    def items(self, leaf: Any, answer: Any) -> list[Any]:
        codes = {
            "float32": "f",
            "float64": "d",
            "int64": "q",
            "int32": "i",
            "uint8": "B",
            "bool": "?",
        }
        data = self.bytes_of(leaf, answer)
        code = codes[leaf["d"]]
        return list(struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data))

    def mark(self) -> tuple[int, int]:
        ident, stage = struct.unpack("<QB", os.pread(self.output, 9, 0))
        return ident, stage


def call(name: str, *args: Any, **kwargs: Any) -> Any:
    """The steps of a program that calls `name`; integers are input tensors."""
    values = [{"$": "tensor", "i": a} if type(a) is int else a for a in args]
    return [{"call": name, "args": values, "kwargs": kwargs, "to": "result"}]


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until(condition: Any, timeout: float = 5) -> bool:
    end = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
