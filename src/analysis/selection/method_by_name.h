/*
 * The method that a user means: a rank ("12"), an id ("0x4f0"), a whole name ("class.name
 * signature", as tv_method_text writes it), or "class.name" where one method alone has it.
 *
 * Names are compared one by one in the order of ranks, so among methods of one whole name the one
 * with the most time is meant. Any number of threads at once.
 */
#ifndef TV_ANALYSIS_SELECTION_METHOD_BY_NAME_H
#define TV_ANALYSIS_SELECTION_METHOD_BY_NAME_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "index/index.h"

/* TV_ERR_NOT_FOUND: no method has the rank, id or name. TV_ERR_ARGUMENT: several methods are called
 * "class.name". */
enum tv_code tv_method_by_name(const struct tv_index *index, struct tv_str text,
                               const struct tv_alloc *alloc, uint32_t *method_ix,
                               struct tv_error *err) TV_MUST_CHECK;
/* The method of a rank. TV_ERR_NOT_FOUND: no method has it. */
enum tv_code tv_method_by_rank(const struct tv_index *index, uint64_t rank, uint32_t *method_ix,
                               struct tv_error *err) TV_MUST_CHECK;

#endif
