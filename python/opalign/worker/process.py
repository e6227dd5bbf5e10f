# SPDX-License-Identifier: Apache-2.0
"""What a process does to itself so that it cannot outlive, out-eat or disturb its parent."""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import signal
from typing import Collection

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent() -> None:
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def close_fds(keep: Collection[int]) -> None:
    for fd in [int(name) for name in os.listdir("/proc/self/fd")]:
        if fd not in keep:
            try:
                os.close(fd)
            except OSError:
                pass  # the descriptor of the listing itself


def no_core_dump() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_memory(extra: int) -> None:
    """Lets this process allocate `extra` bytes beyond what it has now; 0: no limit. Data, not the
    address space: frameworks reserve far more addresses than they use."""
    if extra > 0:
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (_data_bytes() + extra, hard))


def shift_memory_limit(extra: int) -> None:
    """Makes room for a private map of `extra` bytes, which counts as data; negative: takes it back.
    MemoryError beyond the hard limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if soft == resource.RLIM_INFINITY:
        return
    if hard != resource.RLIM_INFINITY and soft + extra > hard:
        raise MemoryError(f"no room for a map of {extra} bytes")
    resource.setrlimit(resource.RLIMIT_DATA, (soft + extra, hard))


def _data_bytes() -> int:
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmData:"):
                return int(line.split()[1]) * 1024
    return 0


class Collector:
    """The garbage collector, on our schedule: Python's own runs in the middle of cases. What
    existed at the fork is frozen, so a collection looks at the garbage of the last cases alone."""

    _CASES = 1000
    _BYTES = 256 << 20

    def __init__(self) -> None:
        self._cases = 0
        self._bytes = 0

    def after_case(self, size: int) -> None:
        """`size`: bytes of the case's tensors, which a cycle might keep alive."""
        self._cases += 1
        self._bytes += size
        if self._cases >= self._CASES or self._bytes >= self._BYTES:
            self._cases = self._bytes = 0
            gc.collect()


def is_single_threaded() -> bool:
    """False too where /proc does not tell."""
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False
