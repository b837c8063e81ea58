/*
 * How much memory an index and answers from it may take (docs/index.md, "Memory").
 *
 * Whoever made a file chose its bytes, so memory is bounded by them: 64 bytes for each byte of the
 * trace, and 64 MiB. A few packed kilobytes unpack to many megabytes, so a packed file has a second
 * bound, for the index and an answer together, which the user lifts with --unpack-all.
 */
#ifndef TV_INDEX_MEMORY_H
#define TV_INDEX_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bounded_sink.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/limit.h"
#include "index/index.h"

/* What building the index of a file may take at a time. */
size_t tv_memory_of_index(const struct tv_made_of *of);
/* Whether the packed length is what bounds the index. */
bool tv_memory_is_packed(const struct tv_made_of *of);
/* What one answer may take at a time beside the index. */
size_t tv_memory_of_answer(const struct tv_index *index);
/* tv_limit_tell of work within tv_memory_of_answer. The text ends with what to ask for instead;
 * where the bound is that of a packed file, --unpack-all is named behind it. */
enum tv_code tv_memory_tell(const struct tv_limit *limit, enum tv_code code,
                            const struct tv_index *index, const char *text,
                            struct tv_error *err) TV_MUST_CHECK;

#endif
