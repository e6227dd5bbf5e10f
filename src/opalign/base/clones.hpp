// SPDX-License-Identifier: Apache-2.0
// OPALIGN_CLONES: a function with it is compiled twice, for AVX2 and for any x86-64, and the loader
// takes the one that fits. What it calls in its loops must be inlined into it. Both give the same
// bits: nothing here contracts or reorders arithmetic.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)  // a sanitizer is not there yet when the loader chooses
#define OPALIGN_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define OPALIGN_CLONES
#endif
#define OPALIGN_INLINE [[gnu::always_inline]] inline
