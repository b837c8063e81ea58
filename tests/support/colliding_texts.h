/* Texts that an enemy would choose for tv_hash_bytes (base/str.h): they begin with different bytes
 * of which the hash makes the same, so that they have one hash if they go on alike. */
#ifndef TESTS_SUPPORT_COLLIDING_TEXTS_H
#define TESTS_SUPPORT_COLLIDING_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#define COLLIDING_HEAD 16u

/* The i-th beginning of texts of `len` bytes in all. */
void colliding_head(char head[COLLIDING_HEAD], size_t len, uint32_t i);
/* The same of printable characters without blanks; the search is long for a large i. */
void colliding_printable_head(char head[COLLIDING_HEAD], size_t len, uint32_t i);

#endif
