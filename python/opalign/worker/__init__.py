# SPDX-License-Identifier: Apache-2.0
"""The side of docs/protocol.md that runs inside a framework's environment."""
