# SPDX-License-Identifier: Apache-2.0
"""The closed list of element types and their facts; the same as src/opalign/base/dtype.cpp."""

from typing import Dict

SIZES = {
    "bool": 1,
    "uint8": 1,
    "uint16": 2,
    "uint32": 4,
    "uint64": 8,
    "int8": 1,
    "int16": 2,
    "int32": 4,
    "int64": 8,
    "float16": 2,
    "bfloat16": 2,
    "float32": 4,
    "float64": 8,
    "complex64": 8,
    "complex128": 16,
    "float8_e4m3fn": 1,
    "float8_e5m2": 1,
}

POOL_ELEMENTS = 260096


def _sections() -> Dict[str, int]:
    start = 0
    sections = {}
    for name in ("float16", "bfloat16", "float32", "float64", "complex64", "complex128"):
        sections[name] = start
        start += POOL_ELEMENTS * SIZES[name]
    return sections


# Where the upstream gradients of a dtype start in the pool, in bytes. A dtype without a section
# (the fp8 types) is not differentiated. All sections are whole pages.
POOL_SECTIONS = _sections()
