# SPDX-License-Identifier: Apache-2.0
"""The frames that ask instead of run: describe, compile, resolve."""

from __future__ import annotations

import inspect
from typing import Any, Dict, Optional

from opalign.worker.errors import Refusal, clean
from opalign.worker.frames import Frame
from opalign.worker.names import Resolver
from opalign.worker.texts import Texts


def answer(frame: Frame, resolver: Resolver, texts: Texts) -> Optional[Frame]:
    """None for a frame that is none of these."""
    op, ident = frame.get("op"), frame.get("id")
    if op == "describe":
        return {"id": ident, "names": [_describe(name, resolver) for name in frame["names"]]}
    if op == "compile":
        params = frame.get("params", [])
        params = params + [[]] * (len(frame["texts"]) - len(params))
        checked = [texts.check(text, names) for text, names in zip(frame["texts"], params)]
        return {"id": ident, "texts": checked}
    if op == "resolve":
        return {"id": ident, **_resolve(frame["name"], resolver)}
    return None


def _resolve(name: str, resolver: Resolver) -> Dict[str, Any]:
    try:
        resolver.resolve(name)
    except Refusal as refusal:
        error = {"class": refusal.kind, "stage": "forward", "type": "Refusal", "trace": ""}
        return {"error": dict(error, message=clean(str(refusal)))}
    return {"result": None}


def _describe(name: str, resolver: Resolver) -> Dict[str, Any]:
    try:
        thing = resolver.resolve(name)
    except Refusal as refusal:
        found = refusal.kind != "no_such_name"
        return {"name": name, "found": found, "allowed": False, "signature": None, "doc": ""}
    doc = (inspect.getdoc(thing) or "").strip().partition("\n")[0]
    return {
        "name": name,
        "found": True,
        "allowed": True,
        "signature": _signature(thing),
        "doc": clean(doc),
    }


def _signature(thing: Any) -> Optional[str]:
    """Names and defaults, as the catalog's `call` has them; None where Python cannot tell."""
    try:
        source: Any = thing.fget if isinstance(thing, property) else thing
        signature = inspect.signature(source)
        plain = [
            parameter.replace(annotation=inspect.Parameter.empty)
            for parameter in signature.parameters.values()
        ]
        return clean(
            str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))
        )
    except (TypeError, ValueError, AttributeError):
        return None
