/* Names as lines of folded stacks can hold them, for the formats that write such lines. */
#ifndef TV_EXPORT_FOLDED_FRAME_H
#define TV_EXPORT_FOLDED_FRAME_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/str.h"

/* Copies a name into the arena: without `;`, which ends a frame, without line ends, and without
 * what a terminal would act upon, and cut where it is long. *is_changed: the copy is another text.
 */
enum tv_code tv_folded_frame(struct tv_arena *texts, struct tv_str name, struct tv_str *frame,
                             bool *is_changed, struct tv_error *err) TV_MUST_CHECK;

#endif
