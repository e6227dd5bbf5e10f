# SPDX-License-Identifier: Apache-2.0
"""One runner's script: header, inputs, the call, its gradients; readable from top to bottom."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from textwrap import indent, wrap
from typing import Any

from opalign.repro.arrays import CARRIERS, Arrays
from opalign.repro.dialects import Dialect, Input
from opalign.repro.names import Identifiers
from opalign.repro.prelude import Extract
from opalign.repro.translation import translate
from opalign.repro.values import Values, call, quoted
from opalign.worker.dtypes import SIZES
from opalign.worker.texts import free_names

Json = Any
_OWN_NAMES = {"np", "sys", "numpy", "inputs", "results", "record", "dense", "Path", "Unsupported"}


class Script:
    def __init__(
        self, description: Json, runner: Json, name: str, dialect: Dialect, arrays: Arrays
    ) -> None:
        self._description = description
        self._runner = runner
        self._name = name
        self._dialect = dialect
        self._arrays = arrays
        self._program = json.loads(runner["program"])  # a text, so that names keep their order
        self._is_plain = runner["kind"] == "tensor"  # one tensor, not a structure of them
        self._extract = Extract(runner["preludes"])
        for step in self._program["steps"]:
            text = step.get("eval") or step.get("check")
            if text:
                self._extract.need(free_names(text) - set(step.get("names", {})))
        self._identifiers = Identifiers(
            _OWN_NAMES | {"paddle", "torch", "leaves"} | self._extract.bound
        )
        targets = dict.fromkeys(step.get("to") for step in self._program["steps"])
        self._variables = {to: self._identifiers.new(to) for to in targets if to is not None}
        self._name_inputs()
        self._values = Values(dialect, self._inputs, self._variables)
        self._functions: list[str] = []

    def text(self) -> str:
        steps = self._steps()
        backward = self._backward()
        inputs = self._input_lines()
        body = "\n".join([*inputs, "", *steps, *backward])
        parts = [self._header(), self._imports(body), self._extract.text()]
        functions = [*self._functions, self._dialect.sparse.strip() if self._has_sparse() else ""]
        parts += [f"\n\n{function}\n" for function in functions if function]
        parts.append(self._record(after_functions=len("".join(parts[2:])) > 0))
        parts += [f"{line}\n" for line in self._dialect.setup]
        if 'inputs["' in body:
            parts.append('inputs = np.load(Path(__file__).with_name("inputs.npz"))\n')
        parts.append(f"{body}\n\nif len(sys.argv) > 1:\n    np.savez(sys.argv[1], **results)\n")
        return "".join(parts)

    # names

    def _name_inputs(self) -> None:
        """`_inputs` are what the steps use; `_leaves` what gradients are taken of."""
        direct: dict[str, int] = {}
        for step in self._program["steps"]:
            value = step.get("value")
            if isinstance(value, dict) and value["$"] == "tensor":
                direct.setdefault(step["to"], value["i"])
        by_index = {index: self._variables[name] for name, index in direct.items()}
        self._inputs: list[str] = []
        self._leaves: list[str] = []
        for index, described in enumerate(self._description["inputs"]):
            name = by_index.get(index) or self._identifiers.new(described["name"])
            self._inputs.append(name)
            is_copied = index in self._program["clone"] and self._is_marked(described)
            self._leaves.append(self._identifiers.new(f"{name}_leaf") if is_copied else name)

    def _is_marked(self, described: Json) -> bool:
        return bool(described["differentiable"] and self._dialect.gradients)

    # parts

    def _header(self) -> str:
        about = self._description
        where = " ".join([part for part in (about["stage"], about["reason"]) if part])
        lines = [f"{about['verdict']}{f' ({where})' if where else ''}: {about['api']}", ""]
        lines += _wrapped(about["text"])
        if about["message"]:
            lines += ["", *_wrapped(about["message"])]
        if not about["compares_values"]:
            lines += [
                "",
                "Values are random or undefined here: structure, shapes and dtypes count.",
            ]
        others = [r["spec"] for r in about["runners"] if r is not self._runner]
        against = f"; the run also had {', '.join(others)}" if others else ""
        lines += [
            "",
            f"This script: {self._runner['spec']}{against}.",
            f"Case {about['id']} of a run of opalign {about['opalign']} with seed {about['seed']},"
            f" written by {about['written_by']}.",
            f"python repro_{self._name}.py [RESULTS.npz]",
        ]
        return "".join([f"# {line}".rstrip() + "\n" for line in lines])

    def _imports(self, body: str) -> str:
        imports = {"import sys", "import numpy as np", *self._dialect.imports}
        if 'inputs["' in body:
            imports.add("from pathlib import Path")
        if "numpy" in self._extract.unbound:
            imports.add("import numpy")
        imports |= self._extract.imports
        text = "\n" + "".join([f"{line}\n" for line in _sorted_imports(imports)])
        if "Unsupported" in self._extract.unbound:
            text += "\n\nclass Unsupported(Exception):\n    pass\n"
        return text

    def _record(self, after_functions: bool) -> str:
        body = 'print(f"{name} = {value}", flush=True)\n'
        if self._is_plain:
            body += "if value is None:\n    return\n"
        else:
            parts = self._dialect.parts if "sparse" in self._description["text"] else ""
            body = parts + _STRUCTURE + body + "leaves[name] = value\n"
            body += _NO_TENSOR.replace("TENSOR", self._dialect.tensor_class)
        body += self._dialect.record
        leaves = "" if self._is_plain else "leaves = {}\n"
        space = "\n\n" if after_functions else "\n"
        return f"{space}results = {{}}\n{leaves}\n\ndef record(name, value):\n" + indent(
            f"{body}\n\n", "    ", lambda line: line.strip() != ""
        )

    def _input_lines(self) -> list[str]:
        lines = []
        for index, described in enumerate(self._description["inputs"]):
            leaf, name = self._leaves[index], self._inputs[index]
            strided = bool(described["strides"] or described["offset"])
            shape = [described["numel"]] if strided else described["shape"]
            lines += self._tensor(leaf, name, described, shape)
            if self._is_marked(described):
                lines.append(self._dialect.wants_grad.format(x=leaf))
            if leaf != name:
                lines.append(f"{name} = {self._dialect.clone.format(x=leaf)}")
        return lines

    def _tensor(self, target: str, key: str, described: Json, shape: list[int]) -> list[str]:
        """The lines that assign a tensor."""
        dtype = described["dtype"]
        array = self._arrays.source(key, dtype, shape, described["at"])
        strides, offset = _strides(described), described.get("offset", 0)
        lines = []
        if dtype in CARRIERS and "0x" in array:
            meaning = self._arrays.meaning(dtype, shape, described["at"])
            lines.append(f"# {key}, as the bits of {dtype}: {meaning}")
        if "\n" in array or strides:
            lines.append(f"{target}_array = {array}")
            array = f"{target}_array"
        made = Input(array, dtype, described["shape"], strides, offset)
        if strides and self._dialect.numpy_strides:
            part = f"{made.carrier}[{offset}:]" if offset else made.carrier
            arguments = [part, str(made.shape), str([stride * SIZES[dtype] for stride in strides])]
            lines.append(f"{array} = {call('np.lib.stride_tricks.as_strided', arguments)}")
            made = replace(made, dtype="int16" if dtype == "bfloat16" else dtype)
            source = self._dialect.tensor(made)
            source += f'.view("{dtype}")' if dtype == "bfloat16" else ""
        else:
            source = self._dialect.tensor(made)
        return [*lines, f"{target} = {source}"]

    def _steps(self) -> list[str]:
        lines = []
        for step in self._program["steps"]:
            if "check" in step:
                lines.append("# The raw result is not unique; this is what is compared:")
                lines.append(f"{self._variables['result']} = {self._translated(step, 'check')}")
                continue
            target = self._variables[step["to"]]
            if "call" in step:
                source = self._values.call(step["call"], step)
            elif "method" in step:
                receiver, *rest = step["args"]
                callee = f"{self._values.source(receiver)}.{step['method']}"
                parts = [self._values.source(value) for value in rest]
                parts += [f"{k}={self._values.source(v)}" for k, v in step["kwargs"].items()]
                source = call(callee, parts)
            elif "eval" in step:
                source = self._translated(step, "eval")
            else:
                source = self._values.source(step["value"])
            if source != target:
                lines.append(f"{target} = {source}")
        outputs = [self._fetched(item) for item in self._program["fetch"]]
        result = outputs[0] if len(outputs) == 1 else f"[{', '.join(outputs)}]"
        lines.append(f'record("output", {result})')
        if self._description["reason"] == "input_modified":
            for described, name in zip(self._description["inputs"], self._inputs):
                lines.append(f'record("{described["name"]} after the call", {name})')
        return lines

    def _fetched(self, item: Json) -> str:
        return self._inputs[item["tensor"]] if isinstance(item, dict) else self._variables[item]

    def _translated(self, step: Json, kind: str) -> str:
        names = dict(self._variables)
        names.update({k: self._values.source(v) for k, v in step.get("names", {}).items()})
        wish = self._description["api"].rpartition(".")[2].strip("_")
        wish = "invariant" if kind == "check" else f"{wish}_in_{self._runner['framework']}"
        free = self._identifiers.new(wish)
        found = translate(step[kind], names, free)
        if found.function:
            self._functions.append(found.function)
        return found.expression

    def _backward(self) -> list[str]:
        function = self._dialect.gradients
        marked = [
            (leaf, described["name"])
            for leaf, described in zip(self._leaves, self._description["inputs"])
            if self._is_marked(described)
        ]
        if function is None or not marked or not self._program["backward"]:
            return []
        upstream = self._runner["upstream"]
        if not self._runner["backward"] or (self._runner["kind"] and not upstream):
            return ["# No output depends differentiably on an input: there are no gradients."]
        if not upstream:
            return ["# No runner got so far that its outputs are known: no gradients here."]
        lines = ["", "# Upstream gradients as in the run, then the gradients of the inputs."]
        leaves = ", ".join([leaf for leaf, _ in marked])
        if self._is_plain or (not self._runner["kind"] and len(upstream) == 1):
            return lines + self._backward_of_tensor(upstream[0], leaves, marked)
        names = []
        for number, leaf in enumerate(upstream):
            name = self._identifiers.new(f"upstream_{number}")
            lines += self._tensor(name, name, leaf, leaf["shape"])
            names.append((leaf["path"], name))
        items = "".join([f"    {quoted(path)}: {name},\n" for path, name in names])
        differentiable = self._dialect.is_differentiable.format(x="leaves[path]")
        lines += [
            f"upstream = {{\n{items}}}",
            f"upstream = {{path: g for path, g in upstream.items() if {differentiable}}}",
            f"gradients = {function}(",
            f"    [leaves[path] for path in upstream], [{leaves}], list(upstream.values()),"
            " allow_unused=True",
            ")",
        ]
        for number, (leaf, name) in enumerate(marked):
            lines.append(self._recorded(name, f"gradients[{number}]", leaf))
        return lines

    def _backward_of_tensor(
        self, upstream: Json, leaves: str, marked: list[tuple[str, str]]
    ) -> list[str]:
        name = self._identifiers.new("upstream")
        lines = self._tensor(name, name, upstream, upstream["shape"])
        result = self._fetched(self._program["fetch"][0])
        targets = [self._identifiers.new(f"{leaf}_grad") for leaf, _ in marked]
        left = targets[0] + "," if len(targets) == 1 else ", ".join(targets)
        arguments = [f"[{result}]", f"[{leaves}]", f"[{name}]", "allow_unused=True"]
        lines.append(f"({left}) = {call(self._dialect.gradients or '', arguments)}")
        return lines + [self._recorded(n, t, leaf) for (leaf, n), t in zip(marked, targets)]

    def _recorded(self, name: str, gradient: str, leaf: str) -> str:
        value = f"dense({gradient}, {leaf})" if self._has_sparse() else gradient
        return f'record("grad({name})", {value})'

    def _has_sparse(self) -> bool:
        return "sparse" in self._description["text"] and bool(self._dialect.sparse)


_STRUCTURE = """\
if isinstance(value, (list, tuple)):
    for index, item in enumerate(value):
        record(f"{name}[{index}]", item)
    return
if isinstance(value, dict):
    for key, item in value.items():
        record(f'{name}["{key}"]', item)
    return
"""

_NO_TENSOR = """\
if value is None:
    return
if not isinstance(value, TENSOR):
    is_number = isinstance(value, (bool, int, float, complex, np.ndarray, np.generic))
    results[f"{name}: {type(value).__name__}"] = np.array(value if is_number else str(value))
    return
"""


def _strides(described: Json) -> list[int]:
    """Empty where a tensor is dense and begins with its buffer."""
    strides = list(described.get("strides", []))
    if strides or not described.get("offset"):
        return strides
    step = 1
    for length in reversed(described["shape"]):
        strides.insert(0, step)
        step *= max(length, 1)
    return strides


def _wrapped(text: str) -> list[str]:
    lines: list[str] = []
    for line in text.splitlines():
        lines += wrap(line, 96, break_long_words=False, break_on_hyphens=False) or [""]
    return lines


def _sorted_imports(lines: set[str]) -> list[str]:
    """Python's own before packages, and one line for all that comes from one module."""
    of_module: dict[str, list[str]] = {}
    for line in sorted(lines):
        head, separator, name = line.partition(" import ")
        of_module.setdefault(head if separator else line, []).append(name)
    merged = [head + (f" import {', '.join(n)}" if n[0] else "") for head, n in of_module.items()]
    packages = ("numpy", "torch", "paddle", "scipy")
    return sorted(
        merged, key=lambda line: (re.split(r"[ .]", line)[1] in packages, line[0] == "f", line)
    )
