/* Ordinals of some of a method's calls. Used by analysis/calls/calls.c only. */
#ifndef TV_ANALYSIS_CALLS_CALLS_ORDER_H
#define TV_ANALYSIS_CALLS_CALLS_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/calls/calls.h"
#include "analysis/calls/method_calls.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"

/* Sets the ordinals of a slice of calls of the list. One pass over the list. */
enum tv_code tv_calls_set_ordinals(const struct tv_method_calls *list, struct tv_listed_call *slice,
                                   size_t count, struct tv_error *err) TV_MUST_CHECK;

#endif
