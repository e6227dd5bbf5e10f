# SPDX-License-Identifier: Apache-2.0
"""Bytes as NumPy source: literals that read back to the same bits, or arrays of inputs.npz."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path
from typing import Any, BinaryIO, Optional

LITERAL_ELEMENTS = 128
_LITERALS_IN_ALL = 1024
_LINE = 100
_CHUNK = 1 << 24
_SHOWN = 6

# struct's letter for an element, or for a part of a complex one.
_FORMATS = {
    "bool": "?",
    "uint8": "B",
    "uint16": "H",
    "uint32": "I",
    "uint64": "Q",
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "float16": "e",
    "float32": "f",
    "float64": "d",
    "complex64": "f",
    "complex128": "d",
}
# What carries the bits of a dtype that NumPy lacks.
CARRIERS = {"bfloat16": "uint16", "float8_e4m3fn": "uint8", "float8_e5m2": "uint8"}
_DIGITS = {"e": range(3, 6), "f": range(6, 10), "d": range(17, 18)}


class Arrays:
    """The arrays of all scripts. Those too large for a literal are gathered for inputs.npz."""

    def __init__(self, data: BinaryIO) -> None:
        self._data = data
        self._room = _LITERALS_IN_ALL
        self._literals: dict[tuple[str, str, bytes], str] = {}
        self._files: dict[str, tuple[str, list[int], int]] = {}

    def source(self, key: str, dtype: str, shape: list[int], at: int) -> str:
        """An expression for the array: a literal, or `inputs["key"]`."""
        carrier = CARRIERS.get(dtype, dtype)
        count = _count(shape)
        if count == 0:
            return f'np.zeros({shape}, "{carrier}")'
        if count <= LITERAL_ELEMENTS:
            data = self._read(at, count, carrier)
            known = (carrier, str(shape), data)
            if known not in self._literals and count <= self._room:
                text = _literal(carrier, shape, data, dtype in CARRIERS)
                if text is not None:
                    self._room -= count
                    self._literals[known] = text
            if known in self._literals:
                return self._literals[known]
        key = self._file_key(key, carrier, shape, at)
        self._files[key] = (carrier, shape, at)
        return f'inputs["{key}"]'

    def meaning(self, dtype: str, shape: list[int], at: int) -> str:
        """The first elements of a dtype that NumPy lacks, as numbers."""
        count = _count(shape)
        data = self._read(at, min(count, _SHOWN), CARRIERS[dtype])
        size = _size(CARRIERS[dtype])
        numbers = [f"{_decode(dtype, data[i:]):.6g}" for i in range(0, len(data), size)]
        return ", ".join(numbers) + (", …" if count > _SHOWN else "")

    def _file_key(self, key: str, dtype: str, shape: list[int], at: int) -> str:
        """The key of an array with these bytes, or a new one like `key`."""
        bytes_ = _count(shape) * _size(dtype)
        candidate, number = key, 1
        while candidate in self._files:
            other = self._files[candidate]
            if other == (dtype, shape, at) or (
                other[:2] == (dtype, shape) and self._same(other[2], at, bytes_)
            ):
                return candidate
            number += 1
            candidate = f"{key}_{number}"
        return candidate

    def _same(self, first: int, second: int, size: int) -> bool:
        for done in range(0, size, _CHUNK):
            length = min(_CHUNK, size - done)
            if self._bytes(first + done, length) != self._bytes(second + done, length):
                return False
        return True

    def _bytes(self, at: int, length: int) -> bytes:
        self._data.seek(at)
        return self._data.read(length)

    def write(self, path: Path) -> None:
        """Writes inputs.npz if there is anything to write to it."""
        if not self._files:
            path.unlink(missing_ok=True)
            return
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for key, (dtype, shape, at) in self._files.items():
                with archive.open(f"{key}.npy", "w", force_zip64=True) as member:
                    member.write(_npy_header(dtype, shape))
                    left = _count(shape) * _size(dtype)
                    self._data.seek(at)
                    while left:
                        chunk = self._data.read(min(left, _CHUNK))
                        member.write(chunk)
                        left -= len(chunk)

    def _read(self, at: int, count: int, dtype: str) -> bytes:
        return self._bytes(at, count * _size(dtype))


def _literal(dtype: str, shape: list[int], data: bytes, is_carrier: bool) -> Optional[str]:
    """Nothing for a NaN that no literal gives."""
    letter = _FORMATS[dtype]
    if is_carrier:
        width = 2 * struct.calcsize(letter)
        items = [f"0x{n:0{width}x}" for (n,) in struct.iter_unpack(f"<{letter}", data)]
    elif letter in _DIGITS:
        size = struct.calcsize(letter)
        parts = [_float_text(data[i : i + size], letter) for i in range(0, len(data), size)]
        if None in parts:
            return None
        items = [str(part) for part in parts]
        if dtype.startswith("complex"):
            items = [f"complex({re}, {im})" for re, im in zip(items[::2], items[1::2])]
    else:
        items = [str(n) for (n,) in struct.iter_unpack(f"<{letter}", data)]
    line = _nested(items, shape)
    if len(line) <= _LINE - 30:
        return f'np.array({line}, "{dtype}")'
    rows = _rows(items, shape)
    reshape = "" if rows is not None or len(shape) == 1 else f".reshape({shape})"
    lines = rows if rows is not None else _filled(items)
    body = "".join([f"        {row}\n" for row in lines])
    return f'np.array(\n    [\n{body}    ],\n    "{dtype}",\n){reshape}'


def _rows(items: list[str], shape: list[int]) -> Optional[list[str]]:
    """The rows of a matrix, one a line, if they fit."""
    if len(shape) != 2:
        return None
    step = shape[1]
    rows = [f"[{', '.join(items[i : i + step])}]," for i in range(0, len(items), step)]
    return rows if max(map(len, rows)) <= _LINE - 8 else None


def _filled(items: list[str]) -> list[str]:
    lines = [""]
    for item in items:
        if lines[-1] and len(lines[-1]) + len(item) + 2 > _LINE - 8:
            lines.append("")
        lines[-1] += f"{' ' if lines[-1] else ''}{item},"
    return lines


def _float_text(data: bytes, letter: str) -> Optional[str]:
    """The shortest decimal that NumPy rounds to the same bits."""
    (value,) = struct.unpack(f"<{letter}", data)
    if value != value:
        return "np.nan" if data == struct.pack(f"<{letter}", float("nan")) else None
    if value in (float("inf"), float("-inf")):
        return "np.inf" if value > 0 else "-np.inf"
    for digits in _DIGITS[letter]:
        text = repr(value) if letter == "d" else f"{value:.{digits}g}"
        try:
            if struct.pack(f"<{letter}", float(text)) == data:
                return text if any(c in text for c in ".e") else text + ".0"
        except OverflowError:
            continue
    return None


def _decode(dtype: str, data: bytes) -> float:
    """The number that the first bytes stand for."""
    if dtype == "bfloat16":
        return float(struct.unpack("<f", b"\0\0" + data[:2])[0])
    if dtype == "float8_e5m2":
        return float(struct.unpack("<e", b"\0" + data[:1])[0])
    exponent, mantissa = data[0] >> 3 & 15, data[0] & 7
    sign = -1.0 if data[0] & 128 else 1.0
    if exponent == 15 and mantissa == 7:
        return float("nan")
    if exponent == 0:
        return sign * mantissa * 2.0**-9
    return float(sign * (1 + mantissa / 8) * 2.0 ** (exponent - 7))


def _nested(items: list[str], shape: list[int]) -> str:
    if not shape:
        return items[0]
    step = len(items) // shape[0]
    rows = [_nested(items[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]
    return f"[{', '.join(rows)}]"


def _npy_header(dtype: str, shape: list[int]) -> bytes:
    kind = {"bool": "b", "uint": "u", "int": "i", "float": "f", "complex": "c"}[
        dtype.rstrip("0123456789")
    ]
    order = "|" if _size(dtype) == 1 else "<"
    dimensions: Any = tuple(shape)
    text = (
        f"{{'descr': '{order}{kind}{_size(dtype)}', 'fortran_order': False, "
        f"'shape': {dimensions}, }}"
    )
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode("ascii")


def _count(shape: list[int]) -> int:
    count = 1
    for length in shape:
        count *= length
    return count


def _size(dtype: str) -> int:
    return struct.calcsize(_FORMATS[dtype]) * (2 if dtype.startswith("complex") else 1)
