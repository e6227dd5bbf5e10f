# SPDX-License-Identifier: Apache-2.0
"""What a text of the catalog needs of the prelude files, and nothing else of them."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Optional, Union

from opalign.worker.texts import free_names

Import = Union[ast.Import, ast.ImportFrom]


@dataclass
class _Definition:
    file: int
    line: int
    source: str


@dataclass
class _Imported:
    source: str


class _File:
    def __init__(self, path: str, number: int) -> None:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self._lines = text.splitlines()
        self._number = number
        self.definitions: dict[str, _Definition] = {}
        self.imports: dict[str, _Imported] = {}
        for node in ast.parse(text, path).body:
            self._take(node)

    def _take(self, node: ast.stmt) -> None:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                self.imports[name] = _Imported(_import(node, alias))
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            self._define(node.name, node)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                for part in ast.walk(target):
                    if isinstance(part, ast.Name):
                        self._define(part.id, node)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            self._define(node.target.id, node)

    def _define(self, name: str, node: ast.stmt) -> None:
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *[d.lineno for d in decorators]])
        source = "\n".join(self._lines[first - 1 : node.end_lineno])
        self.definitions[name] = _Definition(self._number, first, source)


def _import(node: Import, alias: ast.alias) -> str:
    renamed = f" as {alias.asname}" if alias.asname else ""
    if isinstance(node, ast.Import):
        return f"import {alias.name}{renamed}"
    return f"from {node.module} import {alias.name}{renamed}"


class Extract:
    """The definitions and imports that names of a text lead to, one through the other.

    As in a worker: a file sees its own names, then the public ones of the files before it; a text
    sees all public ones, the last of each. Two private names that clash keep one apart by a
    number."""

    def __init__(self, paths: list[str]) -> None:
        self._files = [_File(path, number) for number, path in enumerate(paths)]
        self._taken: dict[str, _Definition] = {}  # by the name that it has in the script
        self.imports: set[str] = set()
        self.unbound: set[str] = set()  # names of the framework, of Python, or of nobody
        self.bound: set[str] = set()  # all names that a script has by these

    def need(self, names: set[str]) -> None:
        for name in sorted(names):
            self._need(name, None)

    def text(self) -> str:
        """The definitions, in the order of their files."""
        ordered = sorted(self._taken.values(), key=lambda d: (d.file, d.line))
        text, was_block = "", False
        for source in dict.fromkeys([definition.source for definition in ordered]):
            is_block = source.startswith(("def ", "class ", "@"))
            text += ("\n\n" if is_block or was_block else "" if text else "\n") + source + "\n"
            was_block = is_block
        return text

    def _need(self, name: str, file: Optional[int]) -> str:
        """Takes what the name stands for, seen from a file or a text; its name in the script."""
        found = self._find(name, file)
        if found is None:
            self.unbound.add(name)
            return name
        self.bound.add(name)
        if isinstance(found, _Imported):
            self.imports.add(found.source)
            return name
        script_name, number = name, 1
        while script_name in self._taken:
            if self._taken[script_name] is found or self._same(self._taken[script_name], found):
                return script_name
            number += 1
            script_name = f"{name}_{number}"
        taken = _Definition(found.file, found.line, found.source)
        self._taken[script_name] = taken
        self.bound.add(script_name)
        renames = {script_name: name} if script_name != name else {}
        for inner in sorted(free_names(found.source)):
            inner_name = self._need(inner, found.file)
            if inner_name != inner:
                renames[inner_name] = inner
        if renames:
            taken.source = _renamed(found.source, {old: new for new, old in renames.items()})
        return script_name

    def _find(self, name: str, file: Optional[int]) -> Union[_Definition, _Imported, None]:
        if file is not None:
            own = self._files[file]
            if name in own.definitions or name in own.imports:
                return own.definitions.get(name) or own.imports[name]
        if name.startswith("_"):
            return None
        for other in reversed(self._files[: file if file is not None else len(self._files)]):
            if name in other.definitions or name in other.imports:
                return other.definitions.get(name) or other.imports[name]
        return None

    def _same(self, taken: _Definition, found: _Definition) -> bool:
        return taken.file == found.file and taken.line == found.line


def _renamed(source: str, names: dict[str, str]) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            node.name = names.get(node.name, node.name)
    return ast.unparse(tree)
