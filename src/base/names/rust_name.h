/* Names of functions as Rust compilers give them to the linker, as people write them. */
#ifndef TV_BASE_NAMES_RUST_NAME_H
#define TV_BASE_NAMES_RUST_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the readable name, which ends with NUL: of "_RNvC1a1f" (version 0), or of the older way by
 * what the C++ library makes of it, "a::_$LT$impl$GT$::f::h0123456789abcdef". Hashes and lifetimes
 * are left out, and "::" before arguments, as in "f::<u32>". False: it is no such name, or its
 * readable form has no room. */
bool tv_rust_name_read(const char *name, char *text, size_t cap);

#endif
