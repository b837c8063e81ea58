/*
 * Renaming the methods of a trace by the one of several mappings that fits, chosen when the reader
 * knows the methods (retrace/mapping_choice.h).
 */
#ifndef TV_RETRACE_RENAMING_CHOICE_H
#define TV_RETRACE_RENAMING_CHOICE_H

#include "base/alloc.h"
#include "format/trace.h"
#include "retrace/mapping_choice.h"
#include "retrace/renaming.h"
#include "retrace/retrace.h"

/* Must not move while a trace is read by its options. */
struct tv_renaming_choice {
    struct tv_mappings among; /* the caller's */
    struct tv_retracer retracer;
    struct tv_renaming renaming;
    struct tv_mapping_choice choice; /* once the trace was read */
};

void tv_renaming_choice_init(struct tv_renaming_choice *chosen, const struct tv_alloc *alloc,
                             const struct tv_mappings *among);
/* For struct tv_read_opts. Where no mapping fits, or two do, methods keep their names. */
struct tv_renaming_opts tv_renaming_choice_opts(struct tv_renaming_choice *chosen);
void tv_renaming_choice_release(struct tv_renaming_choice *chosen);

#endif
