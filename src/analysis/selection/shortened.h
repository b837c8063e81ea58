/*
 * Names as tables show them where they have no room for all of a name: "…util.FutureTask.run(…)",
 * with "…" or two points and more wherever something is left out (cli/terminal/name_fit.h).
 */
#ifndef TV_ANALYSIS_SELECTION_SHORTENED_H
#define TV_ANALYSIS_SELECTION_SHORTENED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/str.h"
#include "index/index.h"

/* How well a whole name fits a shortened one. */
enum tv_shortened {
    TV_SHORTENED_NO,
    TV_SHORTENED_IN_A_PART, /* the text begins within a part of the name: "…Task.run" */
    TV_SHORTENED_AT_A_PART, /* the text begins at a part of the name: a package, a class */
};

/* Whether a text has a sign that something is left out. */
bool tv_is_shortened(struct tv_str text);
/* Compares a whole name with a text. The beginning of the name may be missing without a sign, up to
 * where a part of the name ends. */
enum tv_shortened tv_shortened_fits(struct tv_str text, struct tv_str whole);
/* Compares a text with the names of a method and returns the best fit: its raw name, and its name
 * as Java writes it, with and without parameters, and with and without the address of a hidden
 * class. `room` is scratch for names. A text without a sign fits only if the class is a hidden one,
 * whose address is what tables leave out first. */
enum tv_code tv_shortened_fits_method(struct tv_str text, const struct tv_index *index,
                                      uint32_t method_ix, struct tv_buffer *room,
                                      enum tv_shortened *fit, struct tv_error *err) TV_MUST_CHECK;

#endif
