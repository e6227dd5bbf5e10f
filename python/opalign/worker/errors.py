# SPDX-License-Identifier: Apache-2.0
"""What went wrong, in the words of the protocol: error classes, shortened messages and traces."""

from __future__ import annotations

import os
import re
from types import TracebackType
from typing import Callable, Dict, List, Optional, Pattern, Sequence, Set, Tuple

_MESSAGE_LIMIT = 2000
_FRAMES = 8
CATALOG_FILE = "<catalog>"
_OWN_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep

# Python itself speaks so, as do functions written in Python when called with the wrong arguments; a
# framework's argument parser words it otherwise. Tells a slip in the catalog's text from a refusal.
_PYTHON_TYPE_ERROR = re.compile(
    r"unsupported operand type|object is not (iterable|callable|subscriptable)|has no len\(\)"
    r"|missing \d+ required (positional|keyword-only) argument"
    r"|takes (from )?\d+ .*positional arguments? but|got multiple values for argument"
    r"|got an unexpected keyword argument|bad operand type for|cannot unpack|indices must be"
    r"|object cannot be interpreted as an integer|can only concatenate|not supported between"
)
_TEXT_ERRORS = (NameError, SyntaxError, AttributeError, ImportError, KeyError)


class ProtocolError(Exception):
    """The other side broke the protocol; ends this process."""


class ConnectionClosed(Exception):
    """opalign hung up."""


class Refusal(Exception):
    """An error that opalign itself raises, with its class."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Unsupported(Exception):
    """For preludes: this framework cannot express the call. Class `translation`."""


Table = Sequence[Tuple[str, Pattern[str]]]


def table(*rows: Tuple[str, str]) -> Table:
    """Rows of (class, regular expression), tried in order against the message."""
    return [(kind, re.compile(pattern)) for kind, pattern in rows]


def by_table(error: BaseException, rows: Table) -> Optional[str]:
    text = str(error)
    for kind, pattern in rows:
        if pattern.search(text):
            return kind
    return None


def refuses_arguments(error: BaseException) -> bool:
    return isinstance(error, (ValueError, TypeError, IndexError, AssertionError))


def classify(
    error: BaseException,
    catalog_files: Set[str],
    adapter_classify: Callable[[BaseException], Optional[str]],
) -> str:
    if isinstance(error, Refusal):
        return error.kind
    if isinstance(error, (Unsupported, SyntaxError)):
        return "translation"
    if isinstance(error, MemoryError):
        return "out_of_memory"
    if _innermost_file(error.__traceback__) in catalog_files and (
        isinstance(error, _TEXT_ERRORS)
        or (isinstance(error, TypeError) and _PYTHON_TYPE_ERROR.search(str(error)))
    ):
        return "translation"
    return adapter_classify(error) or "other"


def report(error: BaseException, kind: str, stage: str) -> Dict[str, str]:
    message = str(error)
    if isinstance(error, OSError) and not message:
        message = os.strerror(error.errno or 0)
    return {
        "class": kind,
        "stage": stage,
        "type": type(error).__name__,
        "message": clean(message),
        "trace": clean("\n".join(_trace(error.__traceback__))),
    }


def clean(text: str) -> str:
    """Cut, and without lone surrogates, which no JSON reader takes."""
    if len(text) > _MESSAGE_LIMIT:
        text = text[: _MESSAGE_LIMIT - 1] + "…"
    return text.encode("utf-8", "replace").decode("utf-8")


def _innermost_file(trace: Optional[TracebackType]) -> Optional[str]:
    if trace is None:
        return None
    # A module's own __getattr__ is called for a name that is written in the frame before it.
    while trace.tb_next is not None and trace.tb_next.tb_frame.f_code.co_name != "__getattr__":
        trace = trace.tb_next
    return trace.tb_frame.f_code.co_filename


def _trace(trace: Optional[TracebackType]) -> List[str]:
    """Innermost frames. By hand: the traceback module reads the lines of each file, in 250 us."""
    frames = []
    while trace is not None:
        code = trace.tb_frame.f_code
        if not code.co_filename.startswith(_OWN_FOLDER):
            frames.append(f"{_short(code.co_filename)}:{trace.tb_lineno} in {code.co_name}")
        trace = trace.tb_next
    return frames[-_FRAMES:]


def _short(path: str) -> str:
    return path.rpartition("site-packages" + os.sep)[2]
