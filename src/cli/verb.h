/*
 * A verb of the command: one file verb_<name>.c that exports one struct tv_verb, and one line in
 * verbs.c. Parsing, --help and completion all read the struct, so a new option is a row of its
 * table and a line of the manual.
 */
#ifndef TV_CLI_VERB_H
#define TV_CLI_VERB_H

#include <stddef.h>

#include "cli/cli.h"
#include "cli/options.h"

/* A command for the end of --help; the manual has it, too, and it is run as a test. */
struct tv_example {
    const char *command;
    const char *meaning;
};

#define TV_EXAMPLES 2u

struct tv_verb {
    const char *name;
    const char *summary;   /* one line, no full stop */
    const char *arguments; /* as in usage: "FILE METHOD" */
    size_t argument_count; /* how many words that are no options it takes */
    size_t may_lack;       /* how many of the last ones may be missing */
    bool unpacks_nothing;  /* the user gives it no packed trace: it does not take --unpack-all */
    bool repeats_last;     /* the last of them may be several */
    bool runs_program;     /* those behind `--` are a program's, which may be empty words */
    bool uses_index;       /* it loads an index, so it takes --no-cache and mappings of names */
    bool saves_index;      /* it only saves one, so it takes mappings of names */
    bool prints_tables;    /* so it takes --color and --no-pager */
    bool names_methods;    /* so it takes --full */
    bool lists_formats;    /* of exports, in its --help */
    struct tv_option_list options;
    const void *defaults; /* the options struct before parsing; NULL: all zero */
    size_t values_len;    /* TV_VALUES_LEN(the options struct) */
    const char *notes;    /* a paragraph for --help, or NULL */
    struct tv_example examples[TV_EXAMPLES];
    int (*run)(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments);
};

/* All options that a verb takes. */
struct tv_option_lists tv_verb_options(const struct tv_verb *verb);

/* Room that command.c has for the options struct of any verb. */
#define TV_VERB_VALUES 12288u
/* The size of an options struct; one that is larger than TV_VERB_VALUES does not compile. */
#define TV_VALUES_LEN(type)                                                                        \
    sizeof(struct {                                                                                \
        _Static_assert(sizeof(type) <= TV_VERB_VALUES, "options do not fit in TV_VERB_VALUES");    \
        type of;                                                                                   \
    })
#define TV_OPTIONS(table)                                                                          \
    {                                                                                              \
        .of = (table), .count = TV_COUNT_OF(table)                                                 \
    }

extern const struct tv_verb tv_verb_callers;
extern const struct tv_verb tv_verb_check;
extern const struct tv_verb tv_verb_ci;
extern const struct tv_verb tv_verb_convert;
extern const struct tv_verb tv_verb_counts;
extern const struct tv_verb tv_verb_devices;
extern const struct tv_verb tv_verb_diff;
extern const struct tv_verb tv_verb_dmtracedump;
extern const struct tv_verb tv_verb_export;
extern const struct tv_verb tv_verb_flame;
extern const struct tv_verb tv_verb_frames;
extern const struct tv_verb tv_verb_index;
extern const struct tv_verb tv_verb_info;
extern const struct tv_verb tv_verb_insights;
extern const struct tv_verb tv_verb_join;
extern const struct tv_verb tv_verb_names;
extern const struct tv_verb tv_verb_open;
extern const struct tv_verb tv_verb_processes;
extern const struct tv_verb tv_verb_pull;
extern const struct tv_verb tv_verb_fleet;
extern const struct tv_verb tv_verb_push;
extern const struct tv_verb tv_verb_query;
extern const struct tv_verb tv_verb_record;
extern const struct tv_verb tv_verb_regression;
extern const struct tv_verb tv_verb_report;
extern const struct tv_verb tv_verb_rules;
extern const struct tv_verb tv_verb_serve;
extern const struct tv_verb tv_verb_store;
extern const struct tv_verb tv_verb_top;
extern const struct tv_verb tv_verb_tree;
extern const struct tv_verb tv_verb_trend;
extern const struct tv_verb tv_verb_view;

/* All verbs in the order of help; ends with NULL. */
extern const struct tv_verb *const tv_verbs[];

#endif
