/* The allocator of WebAssembly modules: the C library's, with two differences. Requests that the
 * memory of a module cannot grow by are refused, and the block of an index gets room for its last
 * step early, because here a block that grows is copied. */
#ifndef TV_ENGINE_WASM_ALLOC_H
#define TV_ENGINE_WASM_ALLOC_H

#include "base/alloc.h"

/* wasi-libc's memory grows by less than 2 GiB at a time; asked for more, it stops the module. */
#define TV_WASM_BLOCK_MOST ((size_t)0x7ff00000)

const struct tv_alloc *tv_wasm_alloc(void);

#endif
