/* Fields of the forms: what an uploader and an owner may say of a trace. */
#ifndef TV_PAGES_FIELD_H
#define TV_PAGES_FIELD_H

#include "pages/frame.h"

/* A field of one line with its label above it. */
struct tv_field {
    const char *name, *label;
    const char *more; /* further attributes, or "" */
    struct tv_str value;
};
void tv_field_line(struct tv_frame *frame, const struct tv_field *field);
/* Whether something is so: yes or no. A box that is not ticked would send nothing, which also
 * stands for what stays as it is. */
void tv_field_truth(struct tv_frame *frame, const char *name, const char *meaning, bool is_so);
/* Title, note and the labels app, build and device; with what `trace` has, unless it is NULL. */
void tv_field_about(struct tv_frame *frame, const struct tv_told_trace *trace);
/* How long the trace is kept from now on: what `first` says, or one of a few lives up to the limit.
 */
void tv_field_life(struct tv_frame *frame, const struct tv_told_limits *limits, const char *first);

#endif
