/*
 * How a method is named in answers: "class.name signature", or "(0x...)" with its id where no line
 * of the file describes it.
 *
 * Views borrow from the text of the index; a whole name is joined into a buffer of the caller. Any
 * number of threads may use these functions at once.
 */
#ifndef TV_ANALYSIS_SELECTION_NAMES_H
#define TV_ANALYSIS_SELECTION_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/str.h"
#include "index/index.h"

struct tv_str tv_method_class(const struct tv_index *index, uint32_t method_ix);
struct tv_str tv_method_name(const struct tv_index *index, uint32_t method_ix);
struct tv_str tv_method_signature(const struct tv_index *index, uint32_t method_ix);
struct tv_str tv_method_file(const struct tv_index *index, uint32_t method_ix);
/* The whole name that the file has, where a mapping gave the method another one; else empty. */
struct tv_str tv_method_written(const struct tv_index *index, uint32_t method_ix);
/* The id of the build that the method has a short name of; empty: its name is that of the source,
 * as far as is known. A short name is another method's in each build. */
struct tv_str tv_method_build(const struct tv_index *index, uint32_t method_ix);
/* The methods that a mapping says it may be, as an ambiguous name lists them
 * (base/names/ambiguous_name.h), where it may be several; else empty. */
struct tv_str tv_method_alternatives(const struct tv_index *index, uint32_t method_ix);
/* The methods that run inside it without being entered, as a mapping says: lines for
 * tv_inlined_next; else empty. */
struct tv_str tv_method_inlined(const struct tv_index *index, uint32_t method_ix);
struct tv_inlined_name {
    struct tv_str class_name, name, signature;
};
/* Takes the next method from the front of such lines; false: none is left. */
bool tv_inlined_next(struct tv_str *rest, struct tv_inlined_name *inlined);
/* How many methods a mapping gave other names than those in the file. */
uint64_t tv_renamed_methods(const struct tv_index *index);

/* Replaces the content of `out` by the method's whole name. An empty part is left out together with
 * its separator. */
enum tv_code tv_method_text(const struct tv_index *index, uint32_t method_ix, struct tv_buffer *out,
                            struct tv_error *err) TV_MUST_CHECK;
/* Whether another method has the same class and name, so that the signature alone tells them apart.
 * Costs a look at each method. */
bool tv_method_shares_name(const struct tv_index *index, uint32_t method_ix);
/* Compares the whole names of two methods bytewise: <0, 0, >0. Needs no memory. */
int tv_method_compare_texts(const struct tv_index *index, uint32_t a, uint32_t b);

#endif
