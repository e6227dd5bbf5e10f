# SPDX-License-Identifier: Apache-2.0
"""Entry point of a runner: imports a framework and serves forks of it. Started by opalign as

<python> …/python/opalign/worker/main.py --framework NAME --control FD [--adapter FILE]
[--prelude FILE]…
"""

from __future__ import annotations

import argparse
import gc
import importlib
import importlib.util
import os
import signal
import socket
import sys
import warnings
from typing import Any, Optional

# The folder of this file would shadow modules of other packages: the package's root replaces it.
sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from opalign.worker import process  # noqa: E402
from opalign.worker.forkserver import Forkserver, failed, hello  # noqa: E402
from opalign.worker.frames import ControlChannel  # noqa: E402
from opalign.worker.texts import Texts  # noqa: E402


def main() -> int:
    process.die_with_parent()
    options = _options()
    gc.disable()  # an import makes objects to keep; looking for garbage takes a tenth of it
    # An interrupt from the terminal is opalign's to handle: it ends us when it is done.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    process.close_fds({0, 1, 2, options.control})
    process.no_core_dump()
    # OpenBLAS starts its threads when imported, and nothing may have threads before a fork.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    warnings.simplefilter("ignore")
    sock = socket.socket(fileno=options.control)
    control = ControlChannel(sock)
    try:
        adapter = _adapter(options.framework, options.adapter)
        texts = Texts(adapter.namespace(), options.prelude)
        server = Forkserver(control, options.control, adapter, texts)
    except BaseException as error:  # an import may do anything, SystemExit included
        control.send(failed(error))
        return 1
    control.send(hello(adapter))
    server.serve()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # past the exit handlers of the framework: there is nothing to save


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--framework", required=True)
    parser.add_argument("--control", required=True, type=int, help="file descriptor")
    parser.add_argument("--adapter", help="file of an adapter that does not come with opalign")
    parser.add_argument("--prelude", action="append", default=[], help="file of catalog helpers")
    return parser.parse_args()


def _adapter(framework: str, file: Optional[str]) -> Any:
    if file is None:
        return importlib.import_module(f"opalign.worker.adapters.{framework}")
    spec = importlib.util.spec_from_file_location(f"opalign_adapter_{framework}", file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    sys.exit(main())
