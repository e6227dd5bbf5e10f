# SPDX-License-Identifier: Apache-2.0
"""opalign: runs one operator call on several frameworks and says who is wrong.

>>> import opalign
>>> opalign.parse('paddle.abs(Tensor([3],"float32"), )').id
>>> opalign.fill("uniform(-1, 1)", "float32", [3], case='paddle.abs(Tensor([3],"float32"), )')
>>> opalign.compare(mine, theirs, policy="torch").verdict

What is named here comes from opalign._core when it is first asked for: workers import this package
inside environments that do not have it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = [
    "Argument",
    "Assign",
    "Call",
    "Case",
    "Check",
    "Element",
    "Error",
    "Judgement",
    "LeafComparison",
    "Name",
    "Place",
    "Tensor",
    "TensorStats",
    "TypeName",
    "compare",
    "fill",
    "parse",
    "version",
]

if TYPE_CHECKING:
    from opalign._core import (
        Argument,
        Assign,
        Call,
        Case,
        Check,
        Element,
        Error,
        Judgement,
        LeafComparison,
        Name,
        Place,
        Tensor,
        TensorStats,
        TypeName,
        compare,
        fill,
        parse,
        version,
    )
else:

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from opalign import _core

        return getattr(_core, name)

    def __dir__() -> list[str]:
        return __all__
