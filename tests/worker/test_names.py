# SPDX-License-Identifier: Apache-2.0
"""Which names of a case resolve in the frameworks that come with opalign."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness import X, call

# By framework: what no case may name, and what it may.
NAMES = {
    "paddle": (
        """
os.system paddle paddle.os.system paddle.save paddle.load paddle.framework.save
paddle.framework.io.save paddle.utils.cpp_extension.load paddle.hub.load paddle.jit.save
paddle.static.save paddle.static.save_inference_model paddle.distributed.spawn
paddle.utils.run_check paddle.set_device paddle.set_flags paddle.set_default_dtype
paddle.base.core.eager.Tensor paddle.base.framework.os.system paddle.Tensor.tofile
paddle.Tensor.__reduce__ paddle.Tensor.__class__ paddle.Tensor.__dict__
paddle.Tensor.__init_subclass__ paddle.Tensor.mro paddle.Tensor._share_memory
paddle.Tensor.__dlpack__ paddle._C_ops._run_custom_op paddle._C_ops.read_file
paddle._C_ops.__loader__ paddle._typing.os paddle.vision.ops.read_file
paddle.nn.layer.layers.Executor paddle.amp.core.run_shell_command paddle.dataset.common.download
paddle.enable_static paddle.utils.try_import paddle.io.DataLoader paddle.nn.Layer.__init__
paddle.Tensor.data_ptr paddle.async_save paddle.nn.Layer.set_state_dict
""",
        """
paddle.add paddle.concat paddle.Tensor.add paddle.Tensor.__add__ paddle.Tensor.__getitem__
paddle.Tensor.T paddle.Tensor.shape paddle.Tensor.__nonzero__ paddle.Tensor.__setitem__
paddle._C_ops.add paddle.float32 paddle.nn.functional.conv2d paddle.linalg.svd paddle.fft.fft
paddle.pi paddle.nn.Linear paddle.geometric.segment_sum paddle.incubate.nn.functional.swiglu
paddle.sparse.nn.functional.relu paddle.vision.ops.nms
""",
    ),
    "torch": (
        """
os.system eval torch torch.os.system torch.sys.exit torch.save torch.load torch.hub.load
torch.ops.load_library torch.ops.aten.add torch.utils.cpp_extension.load torch.serialization.save
torch.jit.load torch.PyTorchFileReader torch._C._jit_set_profiling_mode torch._C
torch.Tensor.__reduce_ex__ torch.Tensor.__class__ torch.Tensor.__dict__
torch.Tensor.__init_subclass__ torch.Tensor.mro torch.Tensor.__module__ torch.Tensor.backward
torch.from_file torch.UntypedStorage.from_file torch.set_num_threads torch.set_default_dtype
torch.nn.functional.torch.save torch.functional.torch.save torch.nn.modules.module.torch.save
torch.compile torch.multiprocessing.spawn torch.cuda.init torch.Tensor.add.__globals__
torch.add.__self__ torch.nn.Linear.__init__ torch.distributed.init_process_group torch..add
torch.add. torch.builtins.exec torch.Tensor.data_ptr torch.nn.Module.get_extra_state
""",
        """
torch.add torch.concat torch.Tensor.add torch.Tensor.__add__ torch.Tensor.__getitem__
torch.Tensor.T torch.Tensor.shape torch.nn.functional.conv2d torch.linalg.svd torch.fft.fft
torch.special.erf torch.pi torch.float32 torch.nn.Linear torch.where torch.sparse.mm
torch.nn.functional.cross_entropy torch.autograd.grad torch.manual_seed torch.Tensor.__setitem__
""",
    ),
}
# Calls with a file's name that write it, and methods that lead out of the framework.
WRITERS = {
    "numpy": "numpy.save numpy.lib.npyio.save numpy.ndarray.tofile numpy.load numpy.os.system",
    "paddle": "paddle.save paddle.framework.io.save paddle.jit.save paddle.Tensor.tofile",
    "torch": "torch.save torch.serialization.save torch.Tensor.save",
}
METHODS = {
    "paddle": "__reduce__ _share_memory register_hook tofile value get_tensor",
    "torch": "__reduce_ex__ __setstate__ share_memory_ storage register_hook _typed_storage",
}


@pytest.mark.parametrize("framework", NAMES)
def test_names(fork: Any, framework: str) -> None:
    worker = fork(framework)

    def resolves(name: str) -> bool:
        return "result" in worker.ask(op="resolve", id=1, name=name)

    forbidden, allowed = NAMES[framework]
    assert [name for name in forbidden.split() if resolves(name)] == []
    assert [name for name in allowed.split() if not resolves(name)] == []


@pytest.mark.parametrize("framework", WRITERS)
def test_nothing_of_a_forbidden_call_runs(fork: Any, framework: str, tmp_path: Path) -> None:
    worker = fork(framework)
    forbidden = [call(name, 0, str(tmp_path / "written")) for name in WRITERS[framework].split()]
    for method in METHODS.get(framework, "").split():
        forbidden.append([{"method": method, "args": [{"$": "tensor", "i": 0}], "to": "result"}])
    for steps in forbidden:
        kind = worker.run(steps, [X])["error"]["class"]
        assert kind in ("not_allowed", "no_such_name"), steps
    assert list(tmp_path.iterdir()) == []
