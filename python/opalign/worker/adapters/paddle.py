# SPDX-License-Identifier: Apache-2.0
"""PaddlePaddle on the CPU."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Sequence

import numpy as np
import paddle

from opalign.worker.dtypes import SIZES
from opalign.worker.errors import Refusal, by_table, refuses_arguments, table
from opalign.worker.values import Other

NAME = "paddle"
TENSOR = paddle.Tensor
WARM_BEFORE_FORK = os.environ.get("OMP_NUM_THREADS") == "1"
OPEN = ("_C_ops",)
DENIED = """
paddle.load paddle.save paddle.hub paddle.jit paddle.static paddle.distributed paddle.inference
paddle.onnx paddle.utils paddle.dataset paddle.reader paddle.batch paddle.io paddle.Model
paddle.hapi paddle.summary paddle.flops paddle.callbacks paddle.profiler paddle.device
paddle.set_* paddle.enable_* paddle.disable_* paddle.vision.datasets paddle.vision.image
paddle.vision.image_load paddle.vision.set_image_backend paddle.vision.ops.read_file paddle.text
paddle.audio.load paddle.audio.save paddle.audio.info paddle.audio.datasets paddle.audio.backends
paddle.cinn paddle.tensorrt paddle.decomposition paddle.incubate.autotune
paddle.incubate.checkpoint paddle.incubate.distributed paddle.incubate.cc paddle.incubate.asp
paddle.incubate.jit paddle.incubate.multiprocessing paddle.quantization paddle.sysconfig
paddle.compat paddle.cuda paddle.common_ops_import paddle.amp.accuracy_compare paddle.api_tracer
paddle.pir paddle.pir_utils paddle.apy paddle.cost_model paddle.use_compat_guard
paddle.from_dlpack paddle.to_dlpack paddle.check_import_scipy paddle.set_printoptions
paddle.LazyGuard paddle.DataParallel paddle.async_save paddle.autograd.saved_tensors_hooks
paddle.amp.debugging paddle.compile paddle.library paddle._C_ops.read_file paddle._C_ops.load*
paddle._C_ops.save* paddle._C_ops.print paddle._C_ops.c_* paddle._C_ops.mp_* paddle._C_ops.all_*
paddle._C_ops.dist* paddle._C_ops.recv* paddle._C_ops.send_v2* paddle._C_ops.partial_*
paddle._C_ops.barrier* paddle._C_ops.broadcast paddle._C_ops.broadcast_ paddle._C_ops.reduce
paddle._C_ops.reduce_ paddle._C_ops.reduce_scatter* paddle._C_ops.sync_*
paddle._C_ops.run_program* paddle._C_ops.py_* paddle._C_ops.pyramid_hash* paddle._C_ops.memcpy*
paddle._C_ops.share_* paddle._C_ops.enable_* paddle._C_ops.disable_* paddle._C_ops.global_*
paddle._C_ops.comm_* paddle._C_ops.push_* paddle._C_ops.pull_* paddle.*.tofile
paddle.*.to_distributed paddle.Tensor.backward paddle.Tensor.register_hook paddle.Tensor.data_ptr
paddle.Tensor.get_tensor paddle.Tensor.value paddle.Tensor.set_string_list paddle.Tensor.set_vocab
paddle.Tensor.get_map_tensor paddle.Tensor.get_selected_rows paddle.Tensor.pin_memory
paddle.Tensor.cuda paddle.Tensor.reconstruct_from_ paddle.nn.Layer.register_*
paddle.*.set_state_dict paddle.*.load_dict paddle.*.set_dict
""".split()
# Public, documented or used as if, yet missing in `__all__`.
UNLISTED = """
paddle.acosh_ paddle.asin_ paddle.asinh_ paddle.atanh_ paddle.cosh_ paddle.log1p_
paddle.logical_xor_ paddle.not_equal_ paddle.sigmoid paddle.norm paddle.inverse paddle.cholesky
paddle.eigvalsh paddle.bartlett_window paddle.blackman_window paddle.hamming_window
paddle.hann_window paddle.kaiser_window paddle.nn.functional.diag_embed paddle.nn.functional.pdist
paddle.nn.functional.embedding_renorm_ paddle.nn.HuberLoss paddle.nn.spectral_norm
paddle.incubate.nn.functional.swiglu paddle.incubate.nn.functional.batched_gemm
paddle.incubate.nn.functional.fused_dot_product_attention
paddle.incubate.nn.functional.fused_gate_attention
paddle.incubate.nn.functional.fused_partial_rope
paddle.incubate.nn.functional.cudnn_flash_attention
""".split()
# Reachable under public names where cases need them; under these spellings they open the interior.
CLOSED = "paddle.base paddle.framework paddle.tensor paddle.libs paddle.hapi".split()

_ERRORS = table(
    ("out_of_memory", r"ResourceExhausted|bad_alloc|[Oo]ut of memory|can't allocate memory"),
    (
        "not_registered",
        r"\(Unimplemented\)|is not registered|Unsupported data type|\(Unavailable\)"
        r"|libpaddle\.eager\.ops\S* has no attribute",  # an operator that this build leaves out
    ),
    (
        "invalid_argument",
        r"\((InvalidArgument|InvalidType|PreconditionNotMet|OutOfRange|NotFound|PermissionDenied)\)",
    ),
)
_core = paddle.base.core
_eager = _core.eager
_Tensor = _eager.Tensor
_new_tensor = _Tensor.__new__
# Tensor.__init__ is wrapped in Python to take lists, in 3 us; what it wraps stays reachable.
_init_tensor = getattr(paddle, "original_init", _Tensor.__init__)
_from_dlpack = _core.from_dlpack
_cpu = paddle.CPUPlace()

# What a NumPy array must be for the dtype to come out; those that NumPy lacks are a view.
_ARRAY = {name: np.dtype(name) for name in SIZES if name in np.sctypeDict}
_VIEWED = {
    "bfloat16": np.dtype("int16"),
    "float8_e4m3fn": np.dtype("uint8"),
    "float8_e5m2": np.dtype("uint8"),
}
_DTYPES: Dict[str, Any] = {
    name: getattr(paddle, name)
    for name in SIZES
    if (name in _ARRAY or name in _VIEWED) and hasattr(paddle, name)
}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
_DTYPE = type(paddle.float32)


def version() -> str:
    return str(paddle.__version__)


def setup(threads: int) -> None:
    """Threads come from OMP_NUM_THREADS; the handlers would turn a death into a long report."""
    paddle.disable_signal_handler()


def warm_up() -> None:
    x = paddle.ones([4])
    x.stop_gradient = False
    gradients([paddle.add(x, x)], [x], [paddle.ones([4])])


def namespace() -> Dict[str, Any]:
    return {"paddle": paddle}


def dtypes() -> List[str]:
    return list(_DTYPES)


def dtype_object(name: str) -> Any:
    try:
        return _DTYPES[name]
    except KeyError:
        raise Refusal("no_such_dtype", f"paddle has no {name}") from None


def dtype_name(value: Any) -> Optional[str]:
    if isinstance(value, _DTYPE):
        return _NAMES.get(value, str(value).rpartition(".")[2])
    return None


def place_object(name: str) -> Any:
    if name != "cpu":
        raise Refusal("not_registered", f"this runner has no device {name}")
    return _cpu


def from_buffer(
    memory: Any, offset: int, dtype: str, shape: Sequence[int], strides: Optional[Sequence[int]]
) -> Any:
    kind = _ARRAY.get(dtype)
    wanted = None
    if kind is None:
        wanted = dtype_object(dtype)
        kind = _VIEWED[dtype]
    if strides is not None:
        strides = [stride * kind.itemsize for stride in strides]
    if 0 in shape:
        array = np.empty(shape, kind)
    else:
        array = np.ndarray(shape, kind, memory, offset, strides)
    # Named, as a tensor without a name makes one up, which takes longer than all the rest.
    tensor = _new_tensor(_Tensor)
    _init_tensor(tensor, _from_dlpack(array.__dlpack__()), _cpu, "x")
    return tensor if wanted is None else tensor.view(wanted)


def wants_grad(tensor: Any) -> None:
    tensor.stop_gradient = False


def clone(tensor: Any) -> Any:
    return tensor.clone()


def is_tensor(value: Any) -> bool:
    return isinstance(value, _Tensor)


def is_differentiable(tensor: Any) -> bool:
    return not tensor.stop_gradient


def layout(tensor: Any) -> Any:
    """(dtype, shape, bytes) of a dense tensor; of any other what stands for it."""
    if not tensor._is_initialized() and 0 not in tensor.shape:
        return None
    if not tensor.is_dense():
        return _sparse(tensor)
    name = _NAMES.get(tensor.dtype)
    if name is None:
        return Other(f"{tensor.dtype} tensor")
    shape = tensor.shape
    size = SIZES[name]
    for length in shape:
        size *= length
    return name, shape, size


def _sparse(tensor: Any) -> Any:
    if tensor.is_sparse_csr():
        tensor = tensor.to_sparse_coo(len(tensor.shape))
    if not tensor.is_sparse_coo():
        return Other(f"tensor of type {tensor.type}")
    tensor = tensor.coalesce()
    return {"indices": tensor.indices(), "values": tensor.values(), "shape": list(tensor.shape)}


def store(tensor: Any, memory: Any, offset: int) -> None:
    if not tensor.is_contiguous():
        tensor = tensor.contiguous()
    size = SIZES[_NAMES[tensor.dtype]]
    for length in tensor.shape:
        size *= length
    memory.put(offset, tensor.data_ptr(), size)


def gradients(outputs: List[Any], inputs: List[Any], upstream: List[Any]) -> List[Any]:
    """Gradients of `outputs` with respect to `inputs`, None where they do not depend. As
    Tensor.backward does: half the time of paddle.grad, which prunes the graph first."""
    _run_backward(outputs, upstream)
    return [_dense(tensor.grad, tensor) for tensor in inputs]


def _run_backward(outputs: List[Any], upstream: List[Any]) -> None:
    try:
        _engine(outputs, upstream, False)
    except SystemError:  # refuses two outputs that are one variable, before it does anything
        for output, gradient in zip(outputs, upstream):
            _engine([output], [gradient], True)


def _engine(outputs: List[Any], upstream: List[Any], keep_graph: bool) -> None:
    # The last is the folder of a debugging dump. It must be given: where the parameter exists,
    # leaving it out reads past the arguments; versions before it do not look.
    _eager.run_backward(outputs, upstream, keep_graph, "")


def _dense(gradient: Any, like: Any) -> Any:
    """A gradient of selected rows (of a sparse embedding) as what it stands for."""
    if gradient is None or not gradient.is_selected_rows():
        return gradient
    rows = paddle.to_tensor(gradient.rows(), dtype="int64")
    values = gradient._get_tensor_from_selected_rows()
    return paddle.index_add(paddle.zeros(like.shape, values.dtype), rows, 0, values)


def classify(error: BaseException) -> Optional[str]:
    kind = by_table(error, _ERRORS)
    if kind is not None:
        return kind
    if isinstance(error, NotImplementedError):
        return "not_registered"
    return "invalid_argument" if refuses_arguments(error) else None
