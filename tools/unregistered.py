#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists the lines of suites for which Paddle itself says that it has no kernel on the CPU.

A second opinion on opalign's `unsupported(not_registered)`, with which it shares no code: it needs
paddle and NumPy alone, and lets Python's own parser read the lines. For the interpreter of an
environment that has Paddle:

    PYTHON tools/unregistered.py SUITE...

prints FILE:LINE, stage and message of each such call, and a count of all answers to stderr. Blocks
of statements and the case language's attributes of tensors (`full=`, `layout=`, ...) are not read.
"""

import argparse
import ast
import collections
import os
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import paddle

NAMESPACES = """
paddle paddle.Tensor paddle.fft paddle.geometric paddle.incubate paddle.incubate.nn.functional
paddle.linalg paddle.nn.functional paddle.nn.quant paddle.signal paddle.sparse
paddle.sparse.nn.functional paddle.vision.ops
""".split()
METHODS = set(dir(paddle.Tensor))
FILES = {"load", "save", "async_save", "tofile", "read_file"}
DTYPE = re.compile(r"(numpy\.)?(bool_?|int|float|(?:u?int|b?float|complex)\d+(?:_\w+)?)")
KERNEL_MISSING = re.compile(r"is not registered|\(Unimplemented\)")
SECONDS = 20


class NotRead(Exception):
    """Not in the part of the case language that is read here, or not to be called."""


def read(node: ast.expr) -> Any:
    """The value of an expression of the case language. What is not named here is refused."""
    match node:
        case ast.Constant():
            return node.value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -read(operand)
        case ast.List(elts=items):
            return [read(item) for item in items]
        case ast.Tuple(elts=items):
            return tuple(read(item) for item in items)
        case ast.Subscript(value=ast.Name(id="list"), slice=ast.Tuple(elts=items)):
            return [read(item) for item in items]
        case ast.Subscript(value=ast.Name(id="list"), slice=item):
            return [read(item)]
        case ast.Name(id="nan" | "inf" as name):
            return float(name)
        case ast.Attribute(value=ast.Name(id="math"), attr="nan" | "inf" as name):
            return float(name)
        case ast.Name(id="Ellipsis"):
            return ...
        case ast.Call(func=ast.Name(id=word), args=arguments, keywords=[]):
            return read_word(word, arguments)
        case ast.Call():
            return call(node)
    raise NotRead(ast.unparse(node))


def read_word(word: str, arguments: list[ast.expr]) -> Any:
    if word in ("Dtype", "VarType", "type"):
        return dtype(ast.unparse(arguments[0]))
    values = [read(argument) for argument in arguments]
    match word:
        case "Tensor":
            return tensor(*values)
        case "tuple":
            return tuple(values)
        case "slice":
            return slice(*values)
        case "complex":
            return complex(*values)
    raise NotRead(word)


def dtype(name: str) -> Any:
    found = DTYPE.fullmatch(name)
    if not found:
        raise NotRead(name)
    if name in ("int", "float"):
        return {"int": int, "float": float}[name]
    return getattr(numpy if found[1] else paddle, found[2])


def tensor(shape: list[int], name: str) -> Any:
    """Ones, or the integer zero: an index into whatever is not empty."""
    if name == "bfloat16":
        return paddle.to_tensor(numpy.full(shape, 0x3F80, "uint16"))
    fill = numpy.zeros if "int" in name else numpy.ones
    value = paddle.to_tensor(fill(shape, name))
    if "float" not in name and "complex" not in name:
        return value
    value.stop_gradient = False
    return value.clone()  # no leaf, as methods that write in place refuse those


def call(node: ast.Call) -> Any:
    function = resolve(ast.unparse(node.func))
    return function(
        *[read(item) for item in node.args],
        **{item.arg: read(item.value) for item in node.keywords if item.arg},
    )


def resolve(dotted: str) -> Any:
    namespace, _, name = dotted.rpartition(".")
    if namespace not in NAMESPACES or name in FILES:
        raise NotRead(dotted)
    scope = paddle
    for part in namespace.split(".")[1:]:
        scope = getattr(scope, part)
    if name not in getattr(scope, "__all__", METHODS):
        raise NotRead(dotted)
    return getattr(scope, name)


def tensors(result: Any) -> Iterator[Any]:
    if isinstance(result, paddle.Tensor):
        yield result
    elif isinstance(result, (list, tuple)):
        for item in result:
            yield from tensors(item)


def answer(line: str) -> str:
    """`forward: MESSAGE` or `backward: MESSAGE` where a kernel is missing, else one word."""
    try:
        node = ast.parse(line.replace("list[]", "list[()]"), mode="eval").body
    except SyntaxError:
        return "not read"
    stage = "forward"
    try:
        results = [item for item in tensors(read(node)) if not item.stop_gradient]
        stage = "backward"
        if results:
            paddle.autograd.backward(results)
    except NotRead:
        return "not read"
    except Exception as error:
        if not KERNEL_MISSING.search(str(error)):
            return "other error"
        text = str(error).partition("\n\n")[0]
        return f"{stage}: " + " ".join(text.split())
    return "finished"


def ask(line: str) -> str:
    """The answer of a process of its own: what kills it or takes long costs this line alone."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        os.write(writer, answer(line).encode()[:4000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        text = stream.read().decode(errors="replace")
    status = os.waitpid(child, 0)[1]
    return text or f"died of {signal.Signals(os.WTERMSIG(status)).name}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", nargs="+", type=Path)
    parser.add_argument("--all", action="store_true", help="print the answer to every line")
    options = parser.parse_args()
    paddle.disable_signal_handler()
    count = collections.Counter[str]()
    for suite in options.suite:
        for number, line in enumerate(suite.read_text().splitlines(), 1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            said = ask(line.strip())
            missing = said.startswith(("forward", "backward"))
            count["no kernel " + said.partition(":")[0] if missing else said] += 1
            if missing or options.all:
                print(f"{suite}:{number}: {said}", flush=True)
    print(
        *(f"{number} {said}" for said, number in sorted(count.items())), sep="\n", file=sys.stderr
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
