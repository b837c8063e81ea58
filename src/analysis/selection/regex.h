/*
 * Regular expressions for names, behind one small door: regex.c asks PCRE2. The engine in a page
 * has no PCRE2, links src/engine/regex_host.c in its place, and so asks the browser; docs/engine.md
 * lists where the two differ.
 *
 * An expression is used by one thread at a time.
 */
#ifndef TV_ANALYSIS_SELECTION_REGEX_H
#define TV_ANALYSIS_SELECTION_REGEX_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"

struct tv_regex;

/* Compiles an expression, which need not outlive the call. TV_ERR_ARGUMENT where it is wrong;
 * *regex is NULL after a failure. */
enum tv_code tv_regex_new(struct tv_regex **regex, const struct tv_alloc *alloc,
                          struct tv_str expression, enum tv_case letter_case,
                          struct tv_error *err) TV_MUST_CHECK;
/* Accepts NULL. */
void tv_regex_free(struct tv_regex *regex);
/* Whether the expression matches somewhere in `text`, any bytes. TV_ERR_LIMIT where that takes too
 * many steps. */
enum tv_code tv_regex_matches(const struct tv_regex *regex, struct tv_str text, bool *is_match,
                              struct tv_error *err) TV_MUST_CHECK;

#endif
