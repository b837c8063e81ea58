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
    TV_SHORTENED_IN_A_PART, /* what is shown begins within a part of the name: "…Task.run" */
    TV_SHORTENED_AT_A_PART, /* it begins where a part of the name does: a package, a class */
};

/* Whether something is left out of a text. */
bool tv_is_shortened(struct tv_str text);
/* Compares a whole name with a text. What stands before the text may be left out without a sign,
 * where a part of the name ends. */
enum tv_shortened tv_shortened_fits(struct tv_str text, struct tv_str whole);
/* Compares the names of a method with a text, and tells the better fit: its raw name, and its name
 * as Java writes it, with its parameters and without, and with the address of a hidden class and
 * without. `room` is room for names. A text from which nothing is left out fits only where the
 * class is a hidden one, whose address is what tables leave out first. */
enum tv_code tv_shortened_fits_method(struct tv_str text, const struct tv_index *index,
                                      uint32_t method_ix, struct tv_buffer *room,
                                      enum tv_shortened *fit, struct tv_error *err) TV_MUST_CHECK;

#endif
