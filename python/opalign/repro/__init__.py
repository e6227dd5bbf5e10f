# SPDX-License-Identifier: Apache-2.0
"""Writes a case as scripts that need a framework and NumPy alone."""
