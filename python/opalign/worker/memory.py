# SPDX-License-Identifier: Apache-2.0
"""Shared memory as a worker sees it: private maps of the arena and the pool, and its output
files."""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import struct

from opalign.worker.errors import ProtocolError, Refusal
from opalign.worker.process import raise_memory_limit

PAGE = mmap.PAGESIZE
HEADER = 64
_START = 1 << 20
_KEEP = 64 << 20  # an output file keeps no more than this between cases
_DEFAULT_LIMIT = 1 << 30

_F_ADD_SEALS = 1033
_F_SEAL_SHRINK = 2
_MAP_SHARED = 1
_PROT_READ = 1
_put_id = struct.Struct("<Q").pack_into

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_long,
]
_libc.memcmp.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]

# /proc/self/pagemap has 64 bits a page. In the top byte: 0x80 present, 0x40 swapped, 0x20 the
# file's own page. A page that is there and not the file's is a private copy: somebody wrote to it.
_COPIED = bytes(1 if bits & 0xC0 and not bits & 0x20 else 0 for bits in range(256))


def address_of(buffer: mmap.mmap) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(buffer))


class PrivateMap:
    """A read-only file, mapped copy-on-write: whoever writes changes only this process's pages.

    Which pages were written is read from the kernel's page table: one system call for a light case,
    where comparing the contents of every input would double the memory traffic of a heavy one."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._pagemap = _open_pagemap()
        self._shared = 0
        self.size = os.fstat(fd).st_size & ~(PAGE - 1)
        raise_memory_limit(self.size)
        self.buffer = mmap.mmap(
            fd, self.size, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE
        )
        self.address = address_of(self.buffer)

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
        """Whether these bytes are no longer those of the file."""
        if not self._shared:
            self._shared = _libc.mmap(None, self.size, _PROT_READ, _MAP_SHARED, self._fd, 0)
        return _libc.memcmp(self.address + start, self._shared + start, end - start) != 0

    def restore(self, start: int, end: int) -> None:
        """Drops this process's copies of the pages of [start, end) and their neighbours."""
        first = max(start // PAGE - 1, 0)
        last = min((end - 1) // PAGE + 2, self.size // PAGE)
        self.buffer.madvise(mmap.MADV_DONTNEED, first * PAGE, (last - first) * PAGE)


def _open_pagemap() -> int:
    """-1 where the kernel hides it: then every case is taken for one that wrote."""
    try:
        return os.open("/proc/self/pagemap", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


class OutputFile:
    """A memfd that only grows; opalign maps it too."""

    def __init__(self, limit: int) -> None:
        self.fd = os.memfd_create("opalign-output", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        self._limit = limit
        self.used = HEADER
        self.size = 0
        self._grow(_START)
        fcntl.fcntl(self.fd, _F_ADD_SEALS, _F_SEAL_SHRINK)

    def begin(self) -> None:
        if self.used > _KEEP:
            self.buffer.madvise(mmap.MADV_REMOVE, _KEEP, self.size - _KEEP)
        self.used = HEADER

    def reserve(self, size: int) -> int:
        """Offset of `size` bytes, a multiple of 64. Grows the file; fails past the limit."""
        offset = (self.used + 63) & ~63
        end = offset + size
        if end > self._limit:
            raise Refusal(
                "output_limit", f"outputs of {end - HEADER} bytes, the limit is {self._limit}"
            )
        if end > self.size:
            self._grow(end)
        self.used = end
        return offset

    def _grow(self, end: int) -> None:
        size = (max(end, min(self.size * 2, self._limit)) + PAGE - 1) & ~(PAGE - 1)
        os.ftruncate(self.fd, size)
        self.buffer = mmap.mmap(self.fd, size)
        self.address = address_of(self.buffer)
        self.size = size


class Outputs:
    """The output files of a worker, and the mark of the case it is in."""

    FORWARD, BACKWARD, FETCH = 3, 4, 5

    def __init__(self, count: int) -> None:
        limit = int(os.environ.get("OPALIGN_OUTPUT_LIMIT", "0")) or _DEFAULT_LIMIT
        self.files = [OutputFile(limit) for _ in range(count)]
        self._mark = mmap.mmap(self.files[0].fd, PAGE)

    def begin(self, file: int, ident: int) -> OutputFile:
        self._mark[8] = self.FORWARD
        _put_id(self._mark, 0, ident)
        out = self.files[file]
        out.begin()
        return out

    def stage(self, number: int) -> None:
        self._mark[8] = number

    def end(self) -> None:
        _put_id(self._mark, 0, 0)
