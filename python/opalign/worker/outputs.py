# SPDX-License-Identifier: Apache-2.0
"""The memory that a worker writes: its output file, which opalign maps, too. What tensors are
written there, it does not know."""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import struct
from typing import Dict, List, Tuple

from opalign.worker.errors import Refusal
from opalign.worker.memory import PAGE, map_file

FORWARD, BACKWARD, FETCH = 3, 4, 5  # stages, as the mark has them

_BOARD = 64  # in the head: a byte a slot, 1 while opalign reads what lies there
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
        protection = mmap.PROT_READ | mmap.PROT_WRITE
        self._address = map_file(None, self._room, protection, mmap.MAP_SHARED, self.fd, 0)
        self.buffer = memoryview((ctypes.c_char * self._room).from_address(self._address)).cast("B")
        self._head = self.buffer[:PAGE]
        self._size = 0  # of the file
        self._grow(self._heap)
        fcntl.fcntl(self.fd, _F_ADD_SEALS, _F_SEAL_SHRINK)
        self._touched = self._heap  # no page from here on is mapped yet
        self._taken: List[Tuple[int, int]] = []  # pieces of the heap, in order
        self._pieces: Dict[int, List[Tuple[int, int]]] = {}  # by slot
        self.begin(0, 0)

    def begin(self, slot: int, ident: int) -> None:
        """Of the case `ident`, whose outputs take the place of those that were in the slot."""
        self._head[8] = FORWARD
        _put_id(self._head, 0, ident)
        self._slot = slot
        self._used = PAGE + slot * _SLOT
        self._slot_end = self._used + _SLOT
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
        if offset + size > self._slot_end:
            return self._allocate(size)
        self._used = offset + size
        return offset

    def put(self, offset: int, address: int, size: int) -> None:
        """Copies from anywhere in memory to what `reserve` gave."""
        ctypes.memmove(self._address + offset, address, size)

    def _allocate(self, size: int) -> int:
        self._sweep()
        size = _round_up(size)
        begin = self._heap
        place = 0
        for taken, end in self._taken:
            if taken - begin >= size:
                break
            begin = end
            place += 1
        end = begin + size
        if end > self._room:
            raise Refusal("output_limit", "outputs that opalign has not judged yet take all room")
        if end > self._size:
            self._grow(end)
        if end > self._touched:  # one call instead of a fault a page
            _libc.madvise(self._address + self._touched, end - self._touched, _MADV_POPULATE_WRITE)
            self._touched = end
        self._taken.insert(place, (begin, end))
        self._pieces.setdefault(self._slot, []).append((begin, end))
        return begin

    def _sweep(self) -> None:
        """Takes back what opalign has judged since."""
        for slot in list(self._pieces):
            if slot != self._slot and not self._head[_BOARD + slot]:
                self._release(slot)

    def _release(self, slot: int) -> None:
        for begin, end in self._pieces.pop(slot, ()):
            self._taken.remove((begin, end))
            begin = max(begin, self._kept)
            if begin < end:
                _libc.madvise(self._address + begin, end - begin, _MADV_REMOVE)
                self._touched = min(self._touched, begin)

    def _grow(self, end: int) -> None:
        self._size = min(max(end, self._size * 2), self._room)
        os.ftruncate(self.fd, self._size)
