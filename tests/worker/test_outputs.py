# SPDX-License-Identifier: Apache-2.0
"""The output file by itself: who may write where, and what memory it keeps."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from typing import Any

import harness  # noqa: F401  it puts the package on the path
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opalign.worker.errors import Refusal
from opalign.worker.memory import PAGE
from opalign.worker.outputs import OutputFile

SLOTS = 4
MIB = 1 << 20
BOARD = 64


@pytest.fixture(scope="module", autouse=True)
def limits() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPALIGN_OUTPUT_LIMIT", str(8 * MIB))
        patch.setenv("OPALIGN_OUTPUT_KEPT", str(4 * MIB))
        yield


class Opalign:
    """The other side: runs a case in a slot that must then be left alone, and judges it."""

    def __init__(self) -> None:
        self.file = OutputFile(SLOTS)
        self.head = os.dup(self.file.fd)

    def close(self) -> None:
        os.close(self.head)
        os.close(self.file.fd)

    def run(self, slot: int, *sizes: int) -> list[int]:
        self.file.begin(slot, 1)
        return [self.file.reserve(size) for size in sizes]

    def judge(self, slot: int) -> None:
        (count,) = os.pread(self.head, 1, BOARD + slot)
        os.pwrite(self.head, bytes([(count + 1) % 256]), BOARD + slot)

    def held(self) -> int:
        return os.fstat(self.file.fd).st_blocks * 512


@pytest.fixture
def opalign() -> Iterator[Opalign]:
    made = Opalign()
    yield made
    made.close()


def put(file: OutputFile, offset: int, data: bytes) -> None:
    source = ctypes.create_string_buffer(data, len(data))
    file.put(offset, ctypes.addressof(source), len(data))


def test_small_outputs_lie_in_their_slot(opalign: Opalign) -> None:
    first, second = opalign.run(1, 100, 10)
    assert second == first + 128
    assert opalign.run(2, 1)[0] - opalign.run(0, 1)[0] == 2 * (first - opalign.run(0, 1)[0])


def test_the_heap_is_used_again_once_opalign_has_judged(opalign: Opalign) -> None:
    (first,) = opalign.run(0, MIB)
    (second,) = opalign.run(1, MIB)
    assert second == first + MIB
    opalign.judge(0)
    assert opalign.run(2, MIB) == [first]
    opalign.judge(1)
    opalign.judge(2)
    assert opalign.run(3, 2 * MIB) == [first]


def test_a_slot_that_is_named_again_was_judged(opalign: Opalign) -> None:
    assert opalign.run(0, MIB) == opalign.run(0, MIB)


def test_small_outputs_share_a_piece(opalign: Opalign) -> None:
    before = opalign.held()
    offsets = opalign.run(0, *[4] * 20_000)
    assert all(b - a >= 4 for a, b in zip(sorted(offsets), sorted(offsets)[1:], strict=False))
    assert opalign.held() - before <= 20_000 * 64 + (1 << 18)


def test_a_gap_that_went_back_stays_empty(opalign: Opalign) -> None:
    opalign.run(0, 7 * MIB)
    opalign.run(1, MIB)
    opalign.judge(0)
    opalign.run(2, 8 * MIB)
    opalign.judge(1)
    opalign.judge(2)
    opalign.run(3, 1)
    assert opalign.held() < 4 * MIB + (1 << 20)


def test_one_case_has_many_pieces(opalign: Opalign) -> None:
    first, second, third = opalign.run(0, MIB, MIB + 1, 300_000)
    assert second - first == MIB
    assert third - second == MIB + PAGE


def test_memory_beyond_what_is_kept_goes_back(opalign: Opalign) -> None:
    offsets = opalign.run(0, 3 * MIB, 3 * MIB)
    for offset in offsets:
        put(opalign.file, offset, bytes([7]) * 3 * MIB)
    before = opalign.held()
    opalign.judge(0)
    opalign.run(1, 1)
    assert 1.9 * MIB < before - opalign.held() < 2.1 * MIB
    (again,) = opalign.run(1, 6 * MIB)
    assert again == offsets[0]
    assert opalign.held() == before


def test_the_limit_is_that_of_a_case(opalign: Opalign) -> None:
    opalign.run(0, 8 * MIB)
    opalign.run(1, 8 * MIB)
    with pytest.raises(Refusal, match="the limit is"):
        opalign.run(2, 4 * MIB, 4 * MIB + 1)
    opalign.run(3, 8 * MIB)


ACTIONS = st.lists(
    st.tuples(
        st.integers(0, SLOTS - 1),
        st.lists(st.sampled_from([0, 1, PAGE, 1 << 17, 1 << 18, 300_001, MIB]), max_size=4),
        st.booleans(),
    ),
    max_size=25,
)


@settings(deadline=None, max_examples=60)
@given(ACTIONS)
def test_nothing_is_written_over_before_it_is_judged(actions: Any) -> None:
    opalign = Opalign()
    written: dict[int, list[tuple[int, bytes]]] = {}
    try:
        for number, (slot, sizes, judged) in enumerate(actions):
            written[slot] = []
            for size, offset in zip(sizes, opalign.run(slot, *sizes), strict=True):
                data = bytes([number % 256]) * size
                put(opalign.file, offset, data)
                written[slot].append((offset, data))
            for pieces in written.values():
                for offset, data in pieces:
                    assert opalign.file.buffer[offset : offset + len(data)] == data
            if judged:
                opalign.judge(slot)
                del written[slot]
    finally:
        opalign.close()
