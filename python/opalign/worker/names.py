# SPDX-License-Identifier: Apache-2.0
"""Which names of an untrusted case mean something, and what. Texts of the catalog do not pass here.

A name resolves to a public callable (or constant, or attribute) of the framework: each module
on the way is spelled by its own name and, if it has `__all__`, lists what is taken from it; the
thing itself lives inside the framework; and the adapter has not denied it, neither under this
spelling nor under the thing's own name, nor as an alias of a denied object."""

from __future__ import annotations

import fnmatch
import re
from types import ModuleType
from typing import Any, Callable, Dict, Sequence, Tuple, Union

from opalign.worker.errors import Refusal

# The only names with leading underscores that a case may use on a class of the framework.
OPERATORS = frozenset(
    f"__{name}__"
    for name in (
        "abs add and bool ceil complex contains div divmod eq float floor floordiv ge getitem gt"
        " iadd iand idiv ifloordiv ilshift imatmul imod imul index int invert ior ipow irshift isub"
        " itruediv ixor le len long lshift lt matmul mod mul ne neg nonzero or pos pow radd rand"
        " rdiv rdivmod rfloordiv rlshift rmatmul rmod rmul ror round rpow rrshift rshift rsub"
        " rtruediv rxor setitem sub truediv trunc xor"
    ).split()
)
_CONSTANTS = (bool, int, float, complex, str, type(None))

Found = Union[Any, Refusal]


class Resolver:
    def __init__(self, adapter: Any) -> None:
        self._name: str = adapter.NAME
        self._root: ModuleType = adapter.namespace()[adapter.NAME]
        self._tensor: type = adapter.TENSOR
        self._open = frozenset(getattr(adapter, "OPEN", ()))
        self._unlisted = frozenset(getattr(adapter, "UNLISTED", ()))
        self._is_dtype: Callable[[Any], bool] = lambda x: adapter.dtype_name(x) is not None
        self._denied = _pattern(adapter.DENIED)
        self._closed = _pattern(getattr(adapter, "CLOSED", ()))
        self._denied_ids = self._objects(adapter.DENIED)
        self._cache: Dict[Union[str, Tuple[type, str]], Found] = {}

    def resolve(self, dotted: str) -> Any:
        """What `dotted` names; raises Refusal `no_such_name` or `not_allowed`."""
        return self._cached(dotted, lambda: self._walk(dotted))

    def method(self, owner: Any, name: str) -> Any:
        """Attribute `name` of the class of a value that an earlier call returned."""
        kind = type(owner)
        return self._cached((kind, name), lambda: self._method(kind, name))

    def _cached(self, key: Union[str, Tuple[type, str]], find: Callable[[], Any]) -> Any:
        found = self._cache.get(key)
        if found is None:
            try:
                found = find()
            except Refusal as refusal:
                found = Refusal(refusal.kind, str(refusal))
            self._cache[key] = found
        if type(found) is Refusal:
            raise Refusal(found.kind, str(found))
        return found

    def _walk(self, dotted: str) -> Any:
        head, *parts = dotted.split(".")
        if head != self._name or not parts or not all(part.isidentifier() for part in parts):
            raise _not_allowed(dotted, f"it is no name inside {self._name}")
        if self._denied.match(dotted) or self._closed.match(dotted):
            raise _not_allowed(dotted, "it is on the list of names that cases may not use")
        here: Any = self._root
        for place, part in enumerate(parts):
            last = place == len(parts) - 1
            here = self._step(here, part, last, dotted)
            if not last and not (place == 0 and part in self._open):
                self._check_way(here, ".".join([head, *parts[: place + 1]]), dotted)
        self._check_thing(here, dotted)
        return here

    def _step(self, here: Any, part: str, last: bool, dotted: str) -> Any:
        if isinstance(here, type):
            return self._member(here, part, dotted)
        if part.startswith("_") and not (here is self._root and part in self._open and not last):
            raise _not_allowed(dotted, "it is not public")
        try:
            found = getattr(here, part)
        except AttributeError:
            raise Refusal("no_such_name", f"{dotted} does not exist") from None
        public = getattr(here, "__all__", None)
        if (
            public is not None
            and part not in public
            and not isinstance(found, ModuleType)
            and dotted not in self._unlisted
        ):
            raise _not_allowed(dotted, f"{here.__name__} does not list it as public")
        return found

    def _member(self, owner: type, part: str, dotted: str) -> Any:
        """An attribute that a class of the framework itself defines: what comes from `object` or
        from the metaclass gives the interpreter away."""
        if part.startswith("_") and part not in OPERATORS:
            raise _not_allowed(dotted, "it is not public")
        for base in owner.__mro__:
            if part in base.__dict__:
                if not self._inside(home_of(base)):
                    raise _not_allowed(dotted, f"it is outside {self._name}")
                return getattr(owner, part)
        raise Refusal("no_such_name", f"{dotted} does not exist")

    def _method(self, kind: type, name: str) -> Any:
        spelled = f"{home_of(kind)}.{kind.__qualname__}.{name}"
        if issubclass(kind, self._tensor):
            spelled = f"{self._name}.{self._tensor.__name__}.{name}"
        if not name.isidentifier() or not self._inside(home_of(kind)):
            raise _not_allowed(spelled, f"it is outside {self._name}")
        if self._denied.match(spelled):
            raise _not_allowed(spelled, "it is on the list of names that cases may not use")
        thing = self._member(kind, name, spelled)
        self._check_thing(thing, spelled)
        return thing

    def _check_way(self, here: Any, way: str, dotted: str) -> None:
        if isinstance(here, ModuleType):
            own = here.__name__
            if own != way:  # a module that another one imported: a back door into the interior
                raise _not_allowed(dotted, f"{way} is another name of {own}")
        elif isinstance(here, type):
            own = f"{home_of(here)}.{here.__qualname__}"
        else:
            raise _not_allowed(dotted, "it leads through a value")
        self._check_own(here, own, dotted)

    def _check_thing(self, thing: Any, dotted: str) -> None:
        if isinstance(thing, ModuleType):
            raise _not_allowed(dotted, "it is a module")
        if isinstance(thing, _CONSTANTS) or self._is_dtype(thing):
            return
        if not callable(thing) and not hasattr(type(thing), "__get__"):
            raise _not_allowed(dotted, "it is neither callable nor a constant")
        qualified = getattr(thing, "__qualname__", getattr(thing, "__name__", ""))
        self._check_own(thing, f"{home_of(thing)}.{qualified}", dotted)

    def _check_own(self, thing: Any, own: str, dotted: str) -> None:
        if not self._inside(own):
            raise _not_allowed(dotted, f"it is outside {self._name}")
        if self._denied.match(own) or id(thing) in self._denied_ids:
            raise _not_allowed(dotted, "it is on the list of names that cases may not use")

    def _inside(self, module: str) -> bool:
        return module == self._name or module.startswith(self._name + ".")

    def _objects(self, patterns: Sequence[str]) -> Dict[int, Any]:
        """The objects behind denied names, kept alive so that their ids stay theirs."""
        found: Dict[int, Any] = {}
        for pattern in patterns:
            here: Any = self._root
            for part in pattern.split(".")[1:]:
                here = getattr(here, part, None) if part.isidentifier() else None
            if here is not None and here is not self._root:
                found[id(here)] = here
        return found


def home_of(thing: Any) -> str:
    """Name of the module that a callable or descriptor comes from; "" where none is known."""
    if isinstance(thing, property):
        return home_of(thing.fget)
    module = getattr(thing, "__module__", None)
    if isinstance(module, str):
        return module
    for owner in (getattr(thing, "__objclass__", None), getattr(thing, "__self__", None)):
        if isinstance(owner, ModuleType):
            return owner.__name__
        if owner is not None:
            return str((owner if isinstance(owner, type) else type(owner)).__module__)
    return str(type(thing).__module__)


def _pattern(patterns: Sequence[str]) -> re.Pattern[str]:
    """Matches each name and all below it; wildcards as in a shell, and they cross dots."""
    if not patterns:
        return re.compile(r"(?!)")
    below = [pattern + ".*" for pattern in patterns]
    return re.compile("|".join(fnmatch.translate(pattern) for pattern in [*patterns, *below]))


def _not_allowed(dotted: str, why: str) -> Refusal:
    return Refusal("not_allowed", f"{dotted} may not be called from a case: {why}")
