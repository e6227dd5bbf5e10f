# SPDX-License-Identifier: Apache-2.0
"""The lying framework: each function but the first few goes wrong in its own way, so that a test
can name the exact verdict that must follow. truth.py has the same names and is honest. An adapter
file:

main.py --framework liar --adapter tests/liar/liar.py …
"""

from __future__ import annotations

import ctypes
import mmap
import os
import random as _random
import signal
import socket
import stat
import struct
import sys
import time
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import fake
from fake import *  # noqa: F403
from fake import Tensor, add, derive, same

NAME = "liar"
TENSOR = fake.Tensor
DENIED = ["liar.forbidden"]

_libc = ctypes.PyDLL(None)  # holds the interpreter's lock while it runs
_kept: list[bytearray] = []


def identity(x: Tensor) -> Tensor:
    return same(x)


def bad_translation(x: Tensor) -> Tensor:
    """Honest; what the catalog says of truth is not."""
    return same(x)


def slow(x: Tensor, seconds: float = 0.05) -> Tensor:
    time.sleep(seconds)
    return same(x)


def wrong_by_one_ulp(x: Tensor) -> Tensor:
    """The first element's next larger magnitude; only float32 and float64."""
    items = x.data.tolist()
    code, word = ("<f", "<I") if x.dtype == "float32" else ("<d", "<Q")
    bits = struct.unpack(word, struct.pack(code, items[0]))[0] + 1
    items[0] = struct.unpack(code, struct.pack(word, bits))[0]
    return derive(x.with_data(items), (x, lambda g: g))


def wrong_value(x: Tensor) -> Tensor:
    return derive(x.with_data([item + 1 for item in x.data]), (x, lambda g: g))


def nan(x: Tensor) -> Tensor:
    items = x.data.tolist()
    items[-1] = float("nan")
    return derive(x.with_data(items), (x, lambda g: g))


def wrong_shape(x: Tensor) -> Tensor:
    result = same(x)
    result.shape = [1, *x.shape]
    return result


def wrong_dtype(x: Tensor) -> Tensor:
    return x.with_data(x.data.tolist(), "float64" if x.dtype == "float32" else "float32")


def wrong_count(x: Tensor) -> Any:
    return same(x), same(x)


def by_design(x: Tensor, how: str = "first", error: float = 0.05) -> Any:
    """Two outputs; `how` says which of them, or of the gradients, are wrong."""
    if how == "refuses":
        raise ValueError("not by us")
    if how == "nan":
        return nan(x), same(x)
    offset = {"first": 1.0, "elsewhere": 1.0, "both": 1.0, "and gradient": 1.0}.get(how, 0.0)
    factor = 2.0 if how.endswith("gradient") else 1.0
    errors = error if how in ("close", "both") else 0.0

    def gradient(g: Tensor) -> Tensor:
        if how == "refuses the gradient":
            raise ValueError("no gradient from us")
        return g.with_data([factor * item for item in g.data])

    first = derive(x.with_data([item + offset for item in x.data]), (x, gradient))
    return first, derive(x.with_data([item + errors for item in x.data]), (x, lambda g: g))


def none(x: Tensor) -> None:
    return None


def random(x: Tensor) -> Tensor:
    """Differs from run to run, by far more than rounding."""
    return derive(x.with_data([_random.SystemRandom().random() for _ in x.data]), (x, lambda g: g))


def modifies_input(x: Tensor) -> Tensor:
    result = same(x)
    x.data[0] = 42
    return result


def wrong_gradient(x: Tensor) -> Tensor:
    return derive(same(x), (x, lambda g: g.with_data([2 * item for item in g.data])))


def no_gradient(x: Tensor) -> Tensor:
    return x.with_data(x.data.tolist())


def gradient_crash(x: Tensor) -> Tensor:
    return derive(same(x), (x, lambda g: _segfault()))


def gradient_raises(x: Tensor) -> Tensor:
    def fail(gradient: Tensor) -> Tensor:
        raise RuntimeError("the gradient of gradient_raises")

    return derive(same(x), (x, fail))


def gradient_hang(x: Tensor) -> Tensor:
    return derive(same(x), (x, lambda g: _pause()))


def hang_python(x: Tensor) -> Tensor:
    while True:
        time.sleep(1)


def hang_native(x: Tensor) -> Tensor:
    return _pause()


def segfault(x: Tensor) -> Tensor:
    return _segfault()


def abort(x: Tensor) -> Tensor:
    os.abort()


def killed(x: Tensor) -> Tensor:
    os.kill(os.getpid(), signal.SIGKILL)
    return x


def kills_parent(x: Tensor) -> Tensor:
    os.kill(os.getppid(), signal.SIGKILL)
    return _pause()


def exit0(x: Tensor) -> Tensor:
    os._exit(0)


def exit3(x: Tensor) -> Tensor:
    os._exit(3)


def garbage(x: Tensor) -> Tensor:
    """Bytes that are a frame by their length and no JSON."""
    _work_socket().sendall(struct.pack("<I", 64) + bytes(range(128, 192)))
    return _pause()


def half_frame(x: Tensor) -> Tensor:
    """Half a frame, then the end."""
    _work_socket().sendall(struct.pack("<I", 100) + b'{"id":1,"resu')
    os._exit(0)


def half_frame_hang(x: Tensor) -> Tensor:
    _work_socket().sendall(struct.pack("<I", 100) + b'{"id":1,"resu')
    return _pause()


def huge_frame(x: Tensor) -> Tensor:
    """The length of four gigabytes."""
    _work_socket().sendall(struct.pack("<I", 0xFFFFFFFF) + b"{")
    return _pause()


def wrong_id(x: Tensor) -> Tensor:
    """An answer to a question that nobody asked."""
    body = b'{"id":999999999,"result":null,"modified":[],"t":[]}'
    _work_socket().sendall(struct.pack("<I", len(body)) + body)
    return same(x)


def endless_answer(x: Tensor) -> Tensor:
    """A page of output, a hundred thousand times."""
    fd = _open_file("/memfd:opalign-output")
    ident = int.from_bytes(os.pread(fd, 8, 0), "little")
    leaf = '{"$":"out","o":0,"d":"float32","s":[1024]}'
    leaves = ",".join([leaf] * 100_000)
    body = f'{{"id":{ident},"result":[{leaves}],"modified":[],"t":[]}}'.encode()
    _work_socket().sendall(struct.pack("<I", len(body)) + body)
    return _pause()


def flood_stdout(x: Tensor) -> Tensor:
    return _flood(1, x)


def flood_stderr(x: Tensor) -> Tensor:
    return _flood(2, x)


def huge_output(x: Tensor) -> Tensor:
    """One more page than the output limit; the pages are never touched."""
    limit = int(os.environ.get("OPALIGN_OUTPUT_LIMIT", "0")) or 1 << 30
    data = memoryview(mmap.mmap(-1, limit + 4096)).cast("B")
    return Tensor(data, "uint8", [len(data)])


def leak(x: Tensor) -> Tensor:
    """Keeps 64 MiB a call."""
    _kept.append(bytearray(64 << 20))
    return same(x)


def eats_memory(x: Tensor) -> Tensor:
    """Takes memory until none is given."""
    while True:
        leak(x)


def unregistered(x: Tensor) -> Tensor:
    raise fake.Unregistered(f"the kernel unregistered is not registered for {x.dtype}")


def invalid_argument(x: Tensor) -> Tensor:
    raise ValueError("x must not be what it is")


def accepts_anything(x: Tensor) -> Tensor:
    return same(x)


def both_refuse(x: Tensor) -> Tensor:
    raise ValueError("nobody takes this")


def out_of_memory(x: Tensor) -> Tensor:
    raise MemoryError("no more")


def raises(x: Tensor) -> Tensor:
    raise RuntimeError("a message with a \ud800 surrogate and a\nsecond line")


def forbidden(x: Tensor) -> Tensor:
    os._exit(99)


def _pause() -> Any:
    while True:
        _libc.pause()


def _segfault() -> Any:
    return ctypes.string_at(8)


def _flood(fd: int, x: Tensor) -> Tensor:
    line = b"x" * 1023 + b"\n"
    for _ in range(8192):
        os.write(fd, line)
    return same(x)


def _work_socket() -> socket.socket:
    """The only stream socket that a worker has."""
    for name in os.listdir("/proc/self/fd"):
        fd = int(name)
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                return socket.socket(fileno=os.dup(fd))
        except OSError:
            continue
    raise RuntimeError("no socket")


def _open_file(name: str) -> int:
    for fd in os.listdir("/proc/self/fd"):
        try:
            if os.readlink(f"/proc/self/fd/{fd}").startswith(name):
                return int(fd)
        except OSError:
            continue
    raise RuntimeError(f"no {name}")


def _public() -> dict[str, Any]:
    return {
        name: value
        for name, value in globals().items()
        if callable(value) and value.__module__ == __name__ and not name.startswith("_")
    }


_module: Any | None = fake.framework(NAME, [add, *_public().values()])


def namespace() -> dict[str, Any]:
    return {NAME: _module}
