// SPDX-License-Identifier: Apache-2.0
// The entry point of the C++ tests and nothing else.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
