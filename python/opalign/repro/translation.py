# SPDX-License-Identifier: Apache-2.0
"""A text of the catalog with its names as source: one expression where that reads well, else a
function and its call."""

from __future__ import annotations

import ast
import keyword
from dataclasses import dataclass
from textwrap import dedent, indent
from typing import Optional

from opalign.repro.values import call


@dataclass
class Translated:
    expression: str
    function: Optional[str] = None  # to be defined before


def translate(text: str, names: dict[str, str], function: str) -> Translated:
    """`names`: what the text sees, each with its source. `function`: a name that is free."""
    text = dedent(text).strip()
    read = {
        node.id
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    used = {name: source for name, source in names.items() if name in read}
    if "\n" not in text:
        inlined = _inline(text, used)
        if inlined is not None:
            return Translated(inlined)
        text = f"return {text}"
    else:
        text += "\nreturn result"
    return Translated(
        call(function, list(used.values())),
        f"def {function}({', '.join(used)}):\n{indent(text, '    ')}",
    )


def _inline(text: str, names: dict[str, str]) -> Optional[str]:
    """Nothing where a name is bound by the text itself or a literal would not read well."""
    if all(source == name for name, source in names.items()):
        return text
    tree = ast.parse(text, mode="eval")
    plain = {
        id(argument)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for argument in [*node.args, *[named.value for named in node.keywords]]
    }
    for node in ast.walk(tree):
        if isinstance(
            node, (ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
        ):
            return None
        if isinstance(node, (ast.NamedExpr, ast.JoinedStr)):
            return None
        if isinstance(node, ast.Name) and node.id in names:
            source = names[node.id]
            is_variable = source.isidentifier() and not keyword.iskeyword(source)
            if not is_variable and id(node) not in plain:
                return None
    return ast.unparse(_Replace(names).visit(tree))


class _Replace(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        source = self._names.get(node.id)
        return node if source is None else ast.parse(source, mode="eval").body
