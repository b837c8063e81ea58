/*
 * A second reader of JSON, against which the program's own check and writer are held: the grammar
 * of RFC 8259 written down as it stands there, one function for each rule. It recurses, so it is
 * for fuzzers alone.
 */
#ifndef TV_FUZZ_PLAIN_JSON_H
#define TV_FUZZ_PLAIN_JSON_H

#include <stdbool.h>

#include "base/str.h"

/* Whether the bytes are one object, of at most `level_count` levels. Texts are not checked for
 * UTF-8. */
bool fuzz_is_json_object(struct tv_str text, unsigned level_count);
/* The same for one array. */
bool fuzz_is_json_array(struct tv_str text, unsigned level_count);

#endif
