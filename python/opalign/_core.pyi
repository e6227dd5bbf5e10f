"""The C++ stages of opalign that Python calls. Import them from opalign."""

from collections.abc import Sequence
from typing import Any


class Error(ValueError):
    """What was expected and where, and on a second line perhaps a hint."""

def version() -> str:
    """As `opalign --version` says it."""

class TypeName:
    """A type object: Dtype(float32), type(numpy.int32)."""

    @property
    def kind(self) -> str:
        """"Dtype", "VarType" or "type\""""

    @property
    def name(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __repr__(self) -> str: ...

class Place:
    """A device: Place(cpu)."""

    @property
    def name(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __repr__(self) -> str: ...

class Name:
    """A variable that an earlier statement assigned."""

    @property
    def name(self) -> str: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __repr__(self) -> str: ...

class Tensor:
    """A tensor as its case describes it; it has no elements."""

    @property
    def dtype(self) -> str:
        """NumPy's name"""

    @property
    def shape(self) -> list[int]:
        """Sizes, outermost first"""

    @property
    def full(self) -> object:
        """The value of all elements, or None"""

    @property
    def values(self) -> list[object]:
        """Elements given one by one, flat and row-major"""

    @property
    def domain(self) -> str | None: ...

    @property
    def layout(self) -> str: ...

    @property
    def strides(self) -> list[int] | None:
        """In elements"""

    @property
    def grad(self) -> bool | None: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __repr__(self) -> str: ...

class Argument:
    """An argument of a call."""

    @property
    def name(self) -> str:
        """Empty for a positional one"""

    @property
    def value(self) -> object:
        """
        None, bool, int, float, complex, str, ..., slice, list, tuple,
        TypeName, Place, Name, Tensor or Call
        """

    def __eq__(self, arg: object, /) -> bool: ...

class Call:
    """A call of a public name, or of a variable's method."""

    @property
    def callee(self) -> str:
        """"paddle.concat", "b.cast_\""""

    @property
    def on_variable(self) -> bool:
        """The callee is "variable.method\""""

    @property
    def arguments(self) -> list[Argument]: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __repr__(self) -> str: ...

class Assign:
    """target = value"""

    @property
    def target(self) -> str: ...

    @property
    def value(self) -> object:
        """As of an Argument"""

    def __eq__(self, arg: object, /) -> bool: ...

class Check:
    """check a, b: the variables that are compared."""

    @property
    def names(self) -> list[str]: ...

    def __eq__(self, arg: object, /) -> bool: ...

class Case:
    """A case: what its text says, without any meaning."""

    @property
    def text(self) -> str:
        """The canonical text, one line: parse(case.text) == case"""

    @property
    def id(self) -> str:
        """16 hexadecimal digits, a hash of the canonical text"""

    @property
    def statements(self) -> list[Call | Assign | Check]:
        """In their order; most cases are one Call"""

    def __eq__(self, arg: object, /) -> bool: ...

    def __repr__(self) -> str: ...

def parse(text: str, *, file: str = '<case>', line: int = 1) -> Case:
    """
    Parses one case: a call, or statements separated by newlines or ';'. Nothing is evaluated.

    `file` and `line`, from 1, say where the text stands. Raises Error, whose text begins with
    file:line:column, and shows the place.
    """

def fill(domain: str, dtype: str, shape: Sequence[int], *, case: str, path: str = '0', seed: int = 0) -> Any:
    """
    The elements that a run draws for an input tensor of a case: the same bytes everywhere.

    `domain` is text of the domain language, as "uniform(-1, 1)" or "plain()". `dtype` is NumPy's name,
    or bfloat16, float8_e4m3fn, float8_e5m2. `shape` has the sizes, outermost first. The values belong
    to the text `case`, the tensor's `path` in it ("0": its first argument, "1[2]": the third item of
    the second, keyword arguments counted along) and `seed`.

    Returns a new NumPy array, dense and row-major; of a dtype that NumPy lacks, an object with
    __dlpack__, for torch.from_dlpack and the like. Raises Error for text that cannot be read and for a
    domain that makes no sense for the shape.
    """

class TensorStats:
    """
    Errors |a - b| of the target's a against the reference's b, over
    elements where both are finite; complex ones count by modulus.
    """

    @property
    def numel(self) -> int: ...

    @property
    def bit_equal(self) -> int:
        """Elements with the same bits"""

    @property
    def mismatched(self) -> int:
        """Elements outside the policy's limit"""

    @property
    def class_mismatched(self) -> int:
        """Of those, elements of another class: finite, +inf, -inf, nan"""

    @property
    def max_abs(self) -> float: ...

    @property
    def mean_abs(self) -> float: ...

    @property
    def rms_abs(self) -> float: ...

    @property
    def max_rel(self) -> float:
        """|a - b| / |b|, b at least the smallest normal"""

    @property
    def max_ulp(self) -> int:
        """In units of the last place; 0 for integers"""

    @property
    def bias(self) -> float:
        """Mean of a - b, real part"""

    @property
    def cosine(self) -> float: ...

    @property
    def first_mismatch(self) -> int:
        """Flat index, -1 if none"""

    @property
    def worst(self) -> int:
        """Flat index, -1 if none"""

class Element:
    """Two elements, printed so that they read back."""

    @property
    def index(self) -> list[int]: ...

    @property
    def target(self) -> str: ...

    @property
    def reference(self) -> str: ...

class LeafComparison:
    """One pair of tensors that was compared."""

    @property
    def path(self) -> str: ...

    @property
    def reason(self) -> str:
        """Empty where they agree"""

    @property
    def message(self) -> str: ...

    @property
    def dtype(self) -> str: ...

    @property
    def shape(self) -> list[int]: ...

    @property
    def stats(self) -> TensorStats: ...

    @property
    def elements(self) -> list[Element]:
        """Those worth showing, worst first"""

class Judgement:
    """What the comparison says."""

    @property
    def verdict(self) -> str:
        """A label of `opalign verdicts`: "pass", "vacuous", "differs\""""

    @property
    def is_failure(self) -> bool: ...

    @property
    def stage(self) -> str: ...

    @property
    def reason(self) -> str:
        """Empty of a pass, else "shape", "dtype", "nonfinite", "value\""""

    @property
    def message(self) -> str:
        """One line"""

    @property
    def leaves(self) -> list[LeafComparison]: ...

    def __repr__(self) -> str: ...

def compare(target: object | None, reference: object | None, *, policy: str = 'paddleapitest', atol: float | None = None, rtol: float | None = None) -> Judgement:
    """
    Holds an array against a reference: shape, dtype, nan and inf, then values.

    Both are NumPy arrays, or tensors with __dlpack__ in the CPU's memory, of any shape, strides and
    dtype of opalign. Values agree where |a - b| <= atol + rtol * |b|, b the reference's; `policy` names
    a table of tolerances for each dtype, of which `atol` and `rtol` replace all.

    Raises Error for arrays that cannot be read and for an unknown policy.
    """
