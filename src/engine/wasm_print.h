/*
 * Formatted text of WebAssembly modules: of the C library's snprintf what the pure folders use of
 * it in a module, in fewer bytes, which every page with an engine has to load.
 *
 * Numbers in d i u x X with l, ll, z; c and s; widths, precisions, zeros and signs. No fractions.
 */
#ifndef TV_ENGINE_WASM_PRINT_H
#define TV_ENGINE_WASM_PRINT_H

#include <stdarg.h>
#include <stddef.h>

#include "base/compiler.h"

/* As vsnprintf: writes at most cap - 1 bytes and a NUL where cap is not 0, and returns how many
 * bytes the whole text has. Another conversion than those above ends the module. */
TV_PRINTF(3, 0) int tv_wasm_print(char *to, size_t cap, const char *format, va_list args);

#endif
