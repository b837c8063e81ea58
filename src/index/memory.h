/*
 * How much memory an index and answers from it may take (docs/index.md, "Memory").
 *
 * Whoever made a file chose its bytes, so memory is bounded by them: the index by 64 bytes for each
 * byte of the trace, and 64 MiB; an answer by as much again. A second bound is for both together,
 * and the user lifts it with --unpack-all: 1 GiB, or 32 bytes for each byte of the trace where that
 * is more. A few packed kilobytes unpack to many megabytes, so a hundred bytes for each packed byte
 * take the place of those where they are fewer.
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
/* Whether the second bound is what bounds the index, which --unpack-all lifts. */
bool tv_memory_is_liftable(const struct tv_made_of *of);
/* What one answer may take at a time beside the index. */
size_t tv_memory_of_answer(const struct tv_index *index);
/* Whether the second bound is what bounds the answer. */
bool tv_memory_of_answer_is_liftable(const struct tv_index *index);
/* tv_limit_tell of work within tv_memory_of_answer. The text ends with what to ask for instead;
 * where the bound is the second one, --unpack-all is named behind it. */
enum tv_code tv_memory_tell(const struct tv_limit *limit, enum tv_code code,
                            const struct tv_index *index, const char *text,
                            struct tv_error *err) TV_MUST_CHECK;

#endif
