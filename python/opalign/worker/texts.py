# SPDX-License-Identifier: Apache-2.0
"""Texts of the catalog and prelude files: trusted Python, compiled once each.

A text becomes a function whose parameters are the names it sees: names are fast locals then,
lambdas and comprehensions see them, and the module's names need not be copied for each call."""

from __future__ import annotations

import ast
import builtins
import os
import symtable
import sys
from textwrap import dedent
from types import FunctionType
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple, cast

from opalign.worker.errors import CATALOG_FILE, Refusal, Unsupported

_MAX_CACHED = 20000


class Texts:
    def __init__(self, namespace: Dict[str, Any], preludes: Sequence[str]) -> None:
        self.files: Set[str] = {CATALOG_FILE}
        self._globals: Dict[str, Any] = dict(namespace, __builtins__=builtins)
        if "numpy" in sys.modules:
            self._globals["np"] = sys.modules["numpy"]
        self._globals["Unsupported"] = Unsupported
        self._cache: Dict[Tuple[str, ...], Callable[..., Any]] = {}
        for path in preludes:
            self._load(path)

    def run(self, text: str, names: Dict[str, Any]) -> Any:
        key = (text, *names)
        function = self._cache.get(key)
        if function is None:
            if len(self._cache) >= _MAX_CACHED:
                self._cache.clear()
            function = self._cache[key] = self._compile(text, list(names))
        return function(**names)

    def check(self, text: str, params: Sequence[str]) -> Dict[str, Any]:
        """Syntax, names that nothing binds, attributes that the framework lacks."""
        try:
            self._compile(text, list(params))
        except (SyntaxError, Refusal) as error:
            return {"ok": False, "message": str(error), "unbound": []}
        known = set(params) | set(self._globals) | set(dir(builtins))
        unbound = sorted(free_names(text) - known)
        if unbound:
            return {"ok": False, "message": f"unbound: {', '.join(unbound)}", "unbound": unbound}
        missing = self._missing_attribute(text, set(params))
        if missing:
            return {"ok": False, "message": f"{missing} does not exist", "unbound": []}
        return {"ok": True}

    def _load(self, path: str) -> None:
        with open(path, encoding="utf-8") as file:
            code = compile(file.read(), path, "exec")
        self.files.add(path)
        name = os.path.splitext(os.path.basename(path))[0]
        space = dict(self._globals, __name__=f"opalign_{name}", __file__=path)
        exec(code, space)
        self._globals.update((k, v) for k, v in space.items() if not k.startswith("_"))

    def _compile(self, text: str, params: List[str]) -> Callable[..., Any]:
        text = dedent(text).strip()
        tree = ast.parse(text, CATALOG_FILE, "exec" if _is_block(text) else "eval")
        if isinstance(tree, ast.Expression):
            body: List[ast.stmt] = [ast.Return(tree.body)]
        else:
            body = list(cast(ast.Module, tree).body)
            if not any(_assigns_result(node) for node in ast.walk(tree)):
                raise Refusal("translation", "the text does not assign `result`")
            body.append(ast.Return(ast.Name("result", ast.Load())))
        head = f"def translation({', '.join(params)}): pass"
        module = ast.parse(head, CATALOG_FILE)
        cast(ast.FunctionDef, module.body[0]).body = body
        ast.fix_missing_locations(module)
        space: Dict[str, Any] = {}
        exec(compile(module, CATALOG_FILE, "exec"), space)
        return FunctionType(space["translation"].__code__, self._globals)

    def _missing_attribute(self, text: str, params: Set[str]) -> Optional[str]:
        for node in ast.walk(ast.parse(dedent(text).strip())):
            chain = _chain(node)
            if not chain or chain[0] in params or chain[0] not in self._globals:
                continue
            here = self._globals[chain[0]]
            for depth, part in enumerate(chain[1:], 2):
                if not hasattr(here, part):
                    return ".".join(chain[:depth])
                here = getattr(here, part)
                if not isinstance(here, (type(os), type)):
                    break
        return None


def _is_block(text: str) -> bool:
    return "\n" in text


def _assigns_result(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "result" and isinstance(node.ctx, ast.Store)


def _chain(node: ast.AST) -> List[str]:
    """["a", "b", "c"] for the expression a.b.c."""
    parts: List[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return [node.id, *reversed(parts)] if isinstance(node, ast.Name) and parts else []


def free_names(text: str) -> Set[str]:
    """The names that a module of this text reads and does not bind itself."""
    top = symtable.symtable(dedent(text).strip(), CATALOG_FILE, "exec")
    bound = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()}
    found = set()
    tables = [top]
    while tables:
        table = tables.pop()
        tables.extend(table.get_children())
        for symbol in table.get_symbols():
            from_outside = symbol.is_global() or (table is top and not symbol.is_assigned())
            if from_outside and symbol.is_referenced():
                found.add(symbol.get_name())
    return found - bound
