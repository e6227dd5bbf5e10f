# SPDX-License-Identifier: Apache-2.0
"""PyTorch on the CPU."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

import torch

from opalign.worker.dtypes import SIZES
from opalign.worker.errors import Refusal, by_table, refuses_arguments, table
from opalign.worker.values import Other

NAME = "torch"
TENSOR = torch.Tensor
DENIED = """
torch.load torch.save torch.serialization torch.hub torch.ops torch.classes torch.library
torch.package torch.jit torch.compile torch.compiler torch.export torch.onnx torch.fx torch.utils
torch.storage torch.from_file torch.*Storage* torch.multiprocessing torch.distributed
torch.profiler torch.autograd.profiler torch.autograd.profiler_util torch.autograd.profiler_legacy
torch.autograd.set_* torch.autograd.graph torch.monitor torch.cuda torch.xpu torch.mps torch.mtia
torch.accelerator torch.backends torch.testing torch.overrides torch.futures torch.nn.parallel
torch.set_* torch.use_deterministic_algorithms torch.inductor torch.quantization torch.ao
torch.config torch.return_types torch.random.fork_rng torch.get_file_path
torch.prepare_multiprocessing_environment torch.[A-SU-Z]* torch.T[a-df-z]* torch.TensorType
torch.autocast_* torch.clear_autocast_cache torch.init_num_* torch.import_ir_module* torch.parse_*
torch.merge_type* torch.unify_type* torch.nn.*.get_extra_state torch.fork torch.wait
torch.Tensor.storage torch.Tensor.untyped_storage torch.Tensor.share_memory_ torch.Tensor.backward
torch.Tensor.register_* torch.Tensor.data_ptr torch.Tensor.cuda torch.*.share_memory
torch.nn.Module.register_* torch.*.load_state_dict torch.*.compile torch.from_dlpack
torch.to_dlpack torch.asarray torch.frombuffer torch.func.functional_call
""".split()

_ERRORS = table(
    ("out_of_memory", r"can't allocate memory|not enough memory|bad_alloc|[Oo]ut of memory"),
    (
        "not_registered",
        r"not implemented for '|Could not run '.*' (with|from the)|not support(ed)? (for|on|by) "
        r".*(dtype|Half|BFloat16|Float8|CPU)|Unsupported data ?type",
    ),
)
_DTYPES: Dict[str, torch.dtype] = {
    name: getattr(torch, name)
    for name in SIZES
    if isinstance(getattr(torch, name, None), torch.dtype)
}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
_frombuffer = torch.frombuffer


def version() -> str:
    return str(torch.__version__).partition("+")[0]


def setup(threads: int) -> None:
    if threads > 0:
        torch.set_num_threads(threads)
        torch.set_num_interop_threads(threads)


def warm_up() -> None:
    x = torch.ones(4, requires_grad=True)
    gradients([x + x], [x], [torch.ones(4)])


def namespace() -> Dict[str, Any]:
    return {"torch": torch}


def dtypes() -> List[str]:
    return list(_DTYPES)


def dtype_object(name: str) -> torch.dtype:
    try:
        return _DTYPES[name]
    except KeyError:
        raise Refusal("no_such_dtype", f"torch has no {name}") from None


def dtype_name(value: Any) -> Optional[str]:
    if isinstance(value, torch.dtype):
        return _NAMES.get(value, str(value).partition(".")[2])
    return None


def place_object(name: str) -> torch.device:
    return torch.device(name.replace("gpu", "cuda"))


def from_buffer(
    memory: Any, offset: int, dtype: str, shape: Sequence[int], strides: Optional[Sequence[int]]
) -> torch.Tensor:
    kind = dtype_object(dtype)
    count = 1
    for length in shape:
        count *= length
    if count == 0:
        return torch.empty(shape, dtype=kind)
    if strides is not None:
        extent = 1 + sum([(n - 1) * stride for n, stride in zip(shape, strides)])
        flat = _frombuffer(memory, dtype=kind, count=extent, offset=offset)
        return flat.as_strided(shape, strides)
    flat = _frombuffer(memory, dtype=kind, count=count, offset=offset)
    return flat if len(shape) == 1 else flat.view(shape)


def wants_grad(tensor: torch.Tensor) -> None:
    tensor.requires_grad_()


def clone(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.clone()


def is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def is_differentiable(tensor: torch.Tensor) -> bool:
    return tensor.requires_grad


def layout(tensor: torch.Tensor) -> Any:
    """(dtype, shape, bytes) of a dense tensor; of any other what stands for it."""
    name = _NAMES.get(tensor.dtype)
    if name is None or tensor.device.type != "cpu":
        return Other(f"{tensor.dtype} tensor on {tensor.device}")
    if tensor.layout is torch.strided:
        return name, tensor.shape, tensor.nbytes
    if tensor.layout is torch._mkldnn:
        return layout(tensor.to_dense())
    sparse = tensor.to_sparse_coo().coalesce()
    return {"indices": sparse.indices(), "values": sparse.values(), "shape": list(sparse.shape)}


def store(tensor: torch.Tensor, memory: Any, offset: int) -> None:
    if tensor.is_contiguous() and not tensor.is_conj() and not tensor.is_neg():
        memory.put(offset, tensor.data_ptr(), tensor.nbytes)
        return
    room = _frombuffer(memory.buffer, dtype=tensor.dtype, count=tensor.numel(), offset=offset)
    room.view(tensor.shape).copy_(tensor.detach())


# torch.autograd.grad costs 40 us more than this engine; were it to move, the public way still
# works.
try:
    _run_backward = torch.autograd.Variable._execution_engine.run_backward
except AttributeError:
    _run_backward = None


def gradients(outputs: List[Any], inputs: List[Any], upstream: List[Any]) -> List[Any]:
    """Gradients of `outputs` with respect to `inputs`, None where they do not depend."""
    if _run_backward is not None:
        found = _run_backward(
            tuple(outputs),
            tuple(upstream),
            False,
            False,
            tuple(inputs),
            True,
            accumulate_grad=False,
        )
    else:
        found = torch.autograd.grad(outputs, inputs, upstream, allow_unused=True)
    return [g.to_dense() if g is not None and g.layout is not torch.strided else g for g in found]


def classify(error: BaseException) -> Optional[str]:
    kind = by_table(error, _ERRORS)
    if kind is not None:
        return kind
    if isinstance(error, NotImplementedError):
        return "not_registered"
    if refuses_arguments(error) or isinstance(error, RuntimeError):
        return "invalid_argument"
    return None
