/*
 * Which of several mapping files a trace's names are of, by what the files and the trace say.
 *
 * Where the trace has the id of a mapping (retrace/renaming.h), that decides, and of the others
 * only the first lines are read. Otherwise every mapping is tried, and the one that knows most of
 * the methods is taken, if it passes tv_renaming_check. Two that know equally many are a choice
 * only where both give the same names.
 */
#ifndef TV_RETRACE_MAPPING_CHOICE_H
#define TV_RETRACE_MAPPING_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "format/trace.h"
#include "retrace/retrace.h"

enum tv_choice_by {
    TV_CHOICE_NONE, /* no mapping fits */
    TV_CHOICE_TIE,  /* two fit equally well, and give different names */
    TV_CHOICE_BY_ID,
    TV_CHOICE_BY_NAMES,
};

struct tv_mapping_choice {
    enum tv_choice_by by;
    size_t chosen; /* which text; in a tie, the first */
    size_t rival;  /* in a tie, the other text */
    /* Of the chosen text, as in struct tv_renaming. */
    uint64_t renamed, asked, known;
    size_t unreadable; /* texts that were read and are no mapping files */
    /* None was tried, or it was forced: the trace says that it has the names of its source. */
    bool is_of_source;
};

/* The texts of mapping files. */
struct tv_mappings {
    const struct tv_str *texts;
    size_t count;
    /* The user did not say that the trace is of one of these builds: a few short names, which every
     * build has, are not enough then. */
    bool is_unasked;
};

/* Chooses the mapping of these methods, which do not change. `chosen` is a retracer after init or
 * of an earlier choice. Afterwards it is open for the chosen text (in a tie, for the first), or
 * closed if no mapping fits. Only TV_ERR_MEMORY is a failure. */
enum tv_code tv_mapping_choose(struct tv_mapping_choice *choice, struct tv_retracer *chosen,
                               const struct tv_mappings *among,
                               const struct tv_trace_method *methods, size_t method_count,
                               struct tv_error *err) TV_MUST_CHECK;

#endif
