# SPDX-License-Identifier: Apache-2.0
"""Shared memory that a worker reads: private maps of the arena and the pool. What tensors are made
of it, it does not know; what a worker writes is in outputs.py."""

from __future__ import annotations

import ctypes
import mmap
import os
from typing import Any, Dict, Optional, Tuple

from opalign.worker.dtypes import POOL_ELEMENTS, POOL_SECTIONS, SIZES
from opalign.worker.errors import ProtocolError
from opalign.worker.process import shift_memory_limit

PAGE = mmap.PAGESIZE

_MAP_FIXED = 0x10
_MAP_FAILED = (1 << 64) - 1
_READ_WRITE = mmap.PROT_READ | mmap.PROT_WRITE

_libc = ctypes.CDLL(None, use_errno=True)
_address, _size, _int = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
_libc.mmap.restype = _address
_libc.mmap.argtypes = [_address, _size, _int, _int, _int, ctypes.c_long]
_libc.munmap.argtypes = [_address, _size]
_libc.madvise.argtypes = [_address, _size, _int]
_libc.memcmp.argtypes = [_address, _address, _size]

# /proc/self/pagemap has 64 bits a page. In the top byte: 0x80 present, 0x40 swapped, 0x20 the
# file's own page. A page that is there and not the file's is a private copy: somebody wrote to it.
_COPIED = bytes(1 if bits & 0xC0 and not bits & 0x20 else 0 for bits in range(256))


def map_memory(
    address: Optional[int], size: int, protection: int, flags: int, fd: int, start: int
) -> int:
    found: Optional[int] = _libc.mmap(address, size, protection, flags, fd, start)
    if found is None or found == _MAP_FAILED:
        raise MemoryError(f"no room for a map of {size} bytes")
    return found


class PrivateMap:
    """A read-only file, or `size` bytes of it `rounds` times end to end, mapped copy-on-write:
    whoever writes changes only this process's pages.

    Which pages were written is read from the kernel's page table: one system call for a light case,
    where comparing the contents of every input would double the memory traffic of a heavy one."""

    def __init__(self, fd: int, start: int = 0, size: int = 0, rounds: int = 1) -> None:
        self._fd = fd
        self._pagemap = _open_pagemap()
        self._shared = 0
        once = size or os.fstat(fd).st_size & ~(PAGE - 1)
        self.size = once * rounds
        self.rounds = rounds
        shift_memory_limit(self.size)
        self.address = map_memory(None, self.size, 0, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        for place in range(self.address, self.address + self.size, once):
            map_memory(place, once, _READ_WRITE, mmap.MAP_PRIVATE | _MAP_FIXED, fd, start)
        self.buffer = memoryview((ctypes.c_char * self.size).from_address(self.address)).cast("B")

    def close(self) -> None:
        """Nobody reads what was made of `buffer` after this."""
        _libc.munmap(self.address, self.size)
        shift_memory_limit(-self.size)
        if self._pagemap >= 0:
            os.close(self._pagemap)

    def check(self, end: int) -> None:
        if end > self.size:
            raise ProtocolError(f"offset {end} lies beyond the file of {self.size} bytes")

    def was_written(self, start: int, end: int) -> bool:
        """Whether the pages of [start, end) or their neighbours are this process's own copies."""
        if self._pagemap < 0:
            return True
        first = max(start // PAGE - 1, 0)
        last = min((end - 1) // PAGE + 2, self.size // PAGE)
        entry = self.address // PAGE + first
        table = os.pread(self._pagemap, (last - first) * 8, entry * 8)
        return 1 in table[7::8].translate(_COPIED)

    def differs(self, start: int, end: int) -> bool:
        """Whether these bytes are no longer those of the file. For a map of a whole file."""
        if not self._shared:
            self._shared = map_memory(None, self.size, mmap.PROT_READ, mmap.MAP_SHARED, self._fd, 0)
        return _libc.memcmp(self.address + start, self._shared + start, end - start) != 0

    def restore(self, start: int, end: int) -> None:
        """Drops this process's copies of the pages of [start, end) and their neighbours."""
        first = max(start // PAGE - 1, 0)
        last = min((end - 1) // PAGE + 2, self.size // PAGE)
        _libc.madvise(self.address + first * PAGE, (last - first) * PAGE, mmap.MADV_DONTNEED)


def _open_pagemap() -> int:
    """-1 where the kernel hides it: then every case is taken for one that wrote."""
    try:
        return os.open("/proc/self/pagemap", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


class Pool:
    """The pool of upstream gradients, each section mapped so that a slice may start anywhere and go
    round as often as it must: large gradients take no memory, and stay in the cache."""

    _ROUNDS = 2  # so often for good: a slice of up to a whole round fits

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._loops: Dict[str, PrivateMap] = {}
        self._used: Dict[str, Tuple[int, int]] = {}

    def reserve(self, dtype: str, start: int, count: int) -> int:
        """The offset in `buffer(dtype)` of element `start`, in whichever round, with `count`
        elements from there on. For this case, and once a dtype."""
        first = start % POOL_ELEMENTS
        rounds = max(self._ROUNDS, -(-(first + count) // POOL_ELEMENTS))
        loop = self._loops.get(dtype)
        if loop is None or loop.rounds < rounds:
            if loop is not None:
                self._loops.pop(dtype).close()
            once = POOL_ELEMENTS * SIZES[dtype]
            self._loops[dtype] = PrivateMap(self._fd, POOL_SECTIONS[dtype], once, rounds)
        self._used[dtype] = first * SIZES[dtype], (first + count) * SIZES[dtype]
        return first * SIZES[dtype]

    def buffer(self, dtype: str) -> Any:
        return self._loops[dtype].buffer

    def restore(self) -> None:
        """Undoes what the case wrote to its slices."""
        for dtype, (first, end) in self._used.items():
            loop = self._loops[dtype]
            if loop.rounds > self._ROUNDS:
                self._loops.pop(dtype).close()
            elif loop.was_written(first, end):
                loop.restore(first, end)
        self._used.clear()
