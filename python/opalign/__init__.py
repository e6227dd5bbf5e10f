# SPDX-License-Identifier: Apache-2.0
"""opalign: runs one operator call on several frameworks and says who is wrong."""
