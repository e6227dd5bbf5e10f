# SPDX-License-Identifier: Apache-2.0
"""One module a framework; docs/protocol.md says what each must define."""
