# SPDX-License-Identifier: Apache-2.0
"""The memory that a worker writes: its output file, which opalign maps, too. What tensors are
written there, it does not know."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import mmap
import os
import struct
from typing import Dict, List, Tuple

from opalign.worker.errors import Refusal
from opalign.worker.memory import PAGE, map_memory

FORWARD, BACKWARD, FETCH = 3, 4, 5  # stages, as the mark has them

_BOARD = 64  # in the head: a byte a slot, which opalign changes when it has judged what lies there
_SLOT = 1 << 18
_DEFAULT_LIMIT = 1 << 30
_DEFAULT_KEPT = 1 << 28
_MOST_ADDRESSES = 1 << 43

_F_ADD_SEALS = 1033
_F_SEAL_SHRINK = 2
_MADV_REMOVE = 9  # unlike MADV_DONTNEED, takes the pages out of the file
_MADV_POPULATE_WRITE = 23
_put_id = struct.Struct("<Q").pack_into

_libc = ctypes.CDLL(None, use_errno=True)
_libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def _round_up(size: int) -> int:
    return (size + PAGE - 1) & ~(PAGE - 1)


class OutputFile:
    """A memfd that only grows: a page of head, with the mark of the case in work and the board; a
    slot for each case that may be answered and not yet judged; and a heap for what no slot holds.
    The heap is first fit, so that its first pages are used again and again: fresh ones cost several
    times what copying the output into them does."""

    def __init__(self, slots: int) -> None:
        self.fd = os.memfd_create("opalign-output", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        self._limit = int(os.environ.get("OPALIGN_OUTPUT_LIMIT", "0")) or _DEFAULT_LIMIT
        self._heap = PAGE + slots * _SLOT
        kept = int(os.environ.get("OPALIGN_OUTPUT_KEPT", "0")) or _DEFAULT_KEPT
        self._kept = self._heap + _round_up(kept)
        # Addresses for what may lie there at most, and holes in between; memory is taken as needed.
        self._room = min(self._heap + 2 * slots * _round_up(self._limit), _MOST_ADDRESSES)
        self._address = self._map()
        self.buffer = memoryview((ctypes.c_char * self._room).from_address(self._address)).cast("B")
        self._head = self.buffer[:PAGE]
        self._size = 0  # of the file
        self._grow(self._heap)
        fcntl.fcntl(self.fd, _F_ADD_SEALS, _F_SEAL_SHRINK)
        self._touched = self._heap  # up to here, and to _kept at most, pages are there for good
        self._pieces: Dict[int, List[Tuple[int, int]]] = {}  # of the heap, by slot
        self._seen = [0] * slots  # what the board said when the slot's case began
        self.begin(0, 0)

    def begin(self, slot: int, ident: int) -> None:
        """Of the case `ident`, whose outputs take the place of those that were in the slot."""
        self._head[8] = FORWARD
        _put_id(self._head, 0, ident)
        self._slot = slot
        self._seen[slot] = self._head[_BOARD + slot]
        self._used = PAGE + slot * _SLOT
        self._end = self._used + _SLOT
        self.stored = 0  # bytes of this case
        if self._pieces:
            self._release(slot)
            self._sweep()

    def stage(self, number: int) -> None:
        self._head[8] = number

    def end(self) -> None:
        _put_id(self._head, 0, 0)

    def reserve(self, size: int) -> int:
        """Offset of `size` bytes, a multiple of 64. Grows the file; fails past the limit."""
        self.stored += size
        if self.stored > self._limit:
            raise Refusal(
                "output_limit", f"outputs of {self.stored} bytes, the limit is {self._limit}"
            )
        offset = (self._used + 63) & ~63
        if offset + size > self._end:
            if size >= _SLOT // 4:
                return self._allocate(size)
            offset = self._allocate(_SLOT)
            self._end = offset + _SLOT
        self._used = offset + size
        return offset

    def put(self, offset: int, address: int, size: int) -> None:
        """Copies from anywhere in memory to what `reserve` gave."""
        ctypes.memmove(self._address + offset, address, size)

    def _allocate(self, size: int) -> int:
        self._sweep()
        size = _round_up(size)
        begin = self._heap
        for taken, end in sorted(piece for pieces in self._pieces.values() for piece in pieces):
            if taken - begin >= size:
                break
            begin = end
        end = begin + size
        if end > self._room:
            raise Refusal("output_limit", "outputs that opalign has not judged yet take all room")
        if end > self._size:
            self._grow(end)
        start = max(begin, self._touched)
        if start < end:  # one call instead of a fault a page
            done = _libc.madvise(self._address + start, end - start, _MADV_POPULATE_WRITE)
            if done != 0 and ctypes.get_errno() != errno.EINVAL:  # unknown before Linux 5.14
                raise MemoryError(f"no memory for outputs of {size} bytes")
            self._touched = max(self._touched, min(end, self._kept))
        self._pieces.setdefault(self._slot, []).append((begin, end))
        return begin

    def _sweep(self) -> None:
        """Takes back what opalign has judged since."""
        for slot in list(self._pieces):
            if self._head[_BOARD + slot] != self._seen[slot]:
                self._release(slot)

    def _release(self, slot: int) -> None:
        for begin, end in self._pieces.pop(slot, ()):
            begin = max(begin, self._kept)
            if begin < end:
                _libc.madvise(self._address + begin, end - begin, _MADV_REMOVE)

    def _grow(self, end: int) -> None:
        size = min(max(end, self._size * 2), self._room)
        os.ftruncate(self.fd, size)
        self._size = size

    def _map(self) -> int:
        """Address of the file. Takes less room where addresses are limited."""
        protection = mmap.PROT_READ | mmap.PROT_WRITE
        while True:
            try:
                return map_memory(None, self._room, protection, mmap.MAP_SHARED, self.fd, 0)
            except MemoryError:
                if self._room <= self._heap + self._limit:
                    raise
                self._room = max(_round_up(self._room // 2), self._heap)
