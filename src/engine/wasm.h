/*
 * The exports of the WebAssembly modules, which docs/engine.md lists: numbers and pointers, between
 * an engine and web/src/engine/engine.ts. A module has one engine, one room for texts that come in,
 * and one failure. Both modules read and answer (wasm.c); one also makes files (wasm_files.c).
 */
#ifndef TV_ENGINE_WASM_H
#define TV_ENGINE_WASM_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "engine/engine.h"

#define TV_EXPORT(name) __attribute__((export_name("tv_engine_" #name)))

/* The engine of the module. It has not failed since. */
struct tv_engine *tv_wasm_engine(void);
/* The failure of the last call. */
struct tv_error *tv_wasm_error(void);
/* What a call returns to the page: the status of the answer, or 0: there is none, but a failure. */
int32_t tv_wasm_status(enum tv_code code);

static inline struct tv_str tv_wasm_text(const char *at, size_t len)
{
    return (struct tv_str){at, len};
}

#endif
