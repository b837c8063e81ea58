/* What the engine asks of the page that it runs in: the imports of the module (docs/engine.md).
 * They are the only ones: nothing of WASI is asked for. */
#ifndef TV_ENGINE_HOST_H
#define TV_ENGINE_HOST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __wasm__
#define TV_HOST(name) __attribute__((import_module("env"), import_name(#name))) name
#else
#define TV_HOST(name) name
#endif

/* Told how much of the work is done; 0 ends it. */
int32_t TV_HOST(tv_host_progress)(double done, double of);
/* Takes the next piece of an export; 0 ends it. */
int32_t TV_HOST(tv_host_take)(const void *bytes, size_t len);
/* Compiles a regular expression of UTF-8: a handle, or -1 and why, as text ended by NUL. */
int32_t TV_HOST(tv_host_match_compile)(const char *expression, size_t len, uint32_t ignores_case,
                                       char *why, size_t why_cap);
/* 1 where it matches somewhere in the text, else 0. */
int32_t TV_HOST(tv_host_match_run)(int32_t handle, const char *text, size_t len);
void TV_HOST(tv_host_match_release)(int32_t handle);

#undef TV_HOST
#endif
