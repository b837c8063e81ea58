/* Whether an answer of the api is what docs/api.md says that answers are. */
#ifndef TV_FUZZ_ANSWER_H
#define TV_FUZZ_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* One JSON object of at most 64 levels, in valid UTF-8. */
bool fuzz_is_json(struct tv_str text);
/* A packed answer whose head, counts and columns agree with its length. */
bool fuzz_is_packed(const uint8_t *bytes, size_t len);

#endif
