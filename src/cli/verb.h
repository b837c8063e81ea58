/* A verb: one file verb_<name>.c that exports one of these, and one line in verbs.c. */
#ifndef TV_CLI_VERB_H
#define TV_CLI_VERB_H

#include <stddef.h>

#include "cli/cli.h"
#include "cli/options.h"

struct tv_verb {
    const char *name;
    const char *summary;   /* one line, no full stop */
    const char *arguments; /* as in usage: "FILE METHOD" */
    size_t argument_count; /* exactly so many */
    bool may_lack_last;    /* or one less */
    bool uses_index;       /* takes --no-cache */
    struct tv_option_list options;
    const void *defaults; /* an options struct; NULL: all zero */
    size_t values_len;    /* of the options struct, at most TV_VERB_VALUES */
    const char *notes;    /* lines for the end of --help, or NULL */
    int (*run)(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments);
};

#define TV_VERB_VALUES 256u
#define TV_OPTIONS(table)                                                                          \
    {                                                                                              \
        .of = (table), .count = TV_COUNT_OF(table)                                                 \
    }

extern const struct tv_verb tv_verb_callers;
extern const struct tv_verb tv_verb_check;
extern const struct tv_verb tv_verb_convert;
extern const struct tv_verb tv_verb_info;
extern const struct tv_verb tv_verb_join;
extern const struct tv_verb tv_verb_regression;
extern const struct tv_verb tv_verb_top;
extern const struct tv_verb tv_verb_tree;
extern const struct tv_verb tv_verb_view;

/* All verbs in the order of help; ends with NULL. */
extern const struct tv_verb *const tv_verbs[];

#endif
