# SPDX-License-Identifier: Apache-2.0
"""The honest twin of liar.py: the same names, all of them the identity, but for what no honest
framework accepts. An adapter file."""

from __future__ import annotations

import os
import sys
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import fake
from fake import *  # noqa: F403
from fake import Tensor, add, same

NAME = "truth"
TENSOR = fake.Tensor
DENIED = ["truth.forbidden"]

_NAMES = """
identity slow wrong_by_one_ulp wrong_value nan wrong_shape wrong_dtype wrong_count none random
modifies_input wrong_gradient no_gradient gradient_crash gradient_raises gradient_hang hang_python
hang_native segfault abort killed kills_parent exit0 exit3 garbage half_frame half_frame_hang
huge_frame wrong_id endless_answer flood_stdout flood_stderr huge_output leak eats_memory
unregistered invalid_argument out_of_memory raises forbidden bad_translation
""".split()


def accepts_anything(x: Tensor) -> Tensor:
    raise ValueError("an honest framework refuses this")


def by_design(x: Tensor) -> Any:
    return same(x), same(x)


def both_refuse(x: Tensor) -> Tensor:
    raise ValueError("nobody takes this")


def _honest(name: str) -> Any:
    def function(x: Tensor) -> Tensor:
        return same(x)

    function.__name__ = function.__qualname__ = name
    return function


_module = fake.framework(
    NAME, [add, accepts_anything, both_refuse, by_design, *[_honest(name) for name in _NAMES]]
)


def namespace() -> dict[str, Any]:
    return {NAME: _module}
