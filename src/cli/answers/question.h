/*
 * A question to a trace, from the options of a verb to its printed answer.
 *
 * A verb fills the struct of its question once, from its options. --json hands that struct to the
 * function that writes the answer of the api's route (api/answers.h), the text comes from the same
 * struct and the same function of analysis: so both say the same, and neither needs the query that
 * a browser sends.
 */
#ifndef TV_CLI_ANSWERS_QUESTION_H
#define TV_CLI_ANSWERS_QUESTION_H

#include "analysis/profile/profile.h"
#include "analysis/question/scope.h"
#include "api/api.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/memory/buffer.h"
#include "base/memory/limit.h"
#include "cli/cli.h"
#include "cli/file/load.h"
#include "cli/options.h"
#include "cli/wording.h"
#include "index/index.h"

/* The options that questions with a scope share: the first member of the verb's options struct. */
struct tv_scope_options {
    struct tv_time_value from;
    struct tv_time_value to;
    const char *clock;
    struct tv_texts threads;
    struct tv_texts processes;
    struct tv_texts matches;
    struct tv_texts hides;
    struct tv_texts drops;
    struct tv_option_steps set; /* which calls are meant (cli/answers/set_steps.h) */
    bool idle;                  /* of lists of methods: idle threads count, too */
    bool json;
};

/* The rows of a verb's option table for the part of a trace that it is about: those that an export
 * has, too. They fill a `struct tv_scope_options shared` in its struct `type`. */
#define TV_PART_OPTIONS(type, ...)                                                                 \
    {.name = "clock",                                                                              \
     .kind = TV_OPTION_CHOICE,                                                                     \
     .field = offsetof(type, shared.clock),                                                        \
     .argument = "CLOCK",                                                                          \
     .help = "wall, cpu or wait (cpu where the trace has it)",                                     \
     .choices = tv_measure_words},                                                                 \
        {.name = "thread",                                                                         \
         .kind = TV_OPTION_TEXTS,                                                                  \
         .field = offsetof(type, shared.threads),                                                  \
         .argument = "THREAD",                                                                     \
         .help = "only this thread: an id, or names ('Async*'); may be repeated",                  \
         .group = TV_GROUP_PART},                                                                  \
        {.name = "process",                                                                        \
         .kind = TV_OPTION_TEXTS,                                                                  \
         .field = offsetof(type, shared.processes),                                                \
         .argument = "PROCESS",                                                                    \
         .help = "only the threads of this process; may be repeated",                              \
         .group = TV_GROUP_PART},                                                                  \
        {.name = "from",                                                                           \
         .kind = TV_OPTION_TIME,                                                                   \
         .field = offsetof(type, shared.from),                                                     \
         .argument = "TIME",                                                                       \
         .help = "only from then on, since the trace's start: 2,441.049, 1.5s, 35us",              \
         .group = TV_GROUP_PART},                                                                  \
        __VA_ARGS__,                                                                               \
        {.name = "match",                                                                          \
         .kind = TV_OPTION_TEXTS,                                                                  \
         .field = offsetof(type, shared.matches),                                                  \
         .argument = "TEXT",                                                                       \
         .help = "only methods with TEXT, or /EXPRESSION/; may be repeated",                       \
         .group = TV_GROUP_PART},                                                                  \
    {                                                                                              \
        .name = "hide", .kind = TV_OPTION_TEXTS, .field = offsetof(type, shared.hides),            \
        .argument = "PACKAGES",                                                                    \
        .help = "give the time of these packages (java.,kotlin.) to their callers",                \
        .group = TV_GROUP_PART                                                                     \
    }

/* The end of the range, the last argument of TV_PART_OPTIONS but for an export, where --to may name
 * a format, too. */
#define TV_RANGE_END_OPTION(type)                                                                  \
    {                                                                                              \
        .name = "to", .kind = TV_OPTION_TIME, .field = offsetof(type, shared.to),                  \
        .argument = "TIME", .help = "only up to then", .group = TV_GROUP_PART                      \
    }

/* Of verbs that answer from the calls of a set (cli/answers/set_steps.h). */
#define TV_SET_OPTION(type, word, value, text)                                                     \
    {                                                                                              \
        .name = (word), .kind = TV_OPTION_STEPS, .field = offsetof(type, shared.set),              \
        .argument = (value), .help = (text), .group = TV_GROUP_PART                                \
    }
#define TV_SET_OPTIONS(type)                                                                       \
    TV_SET_OPTION(type, "path", "METHOD",                                                          \
                  "only calls along a path: given again for each callee; ^ first: from a root"),   \
        TV_SET_OPTION(type, "method", "METHOD",                                                    \
                      "only calls of this method, and what they made; may be repeated"),           \
        TV_SET_OPTION(type, "search", "TEXT",                                                      \
                      "the same of all methods with TEXT, =WORD or /EXPRESSION/"),                 \
        TV_SET_OPTION(type, "past", "PACKAGES",                                                    \
                      "no part of the path before it; those of --hide by default"),                \
        TV_SET_OPTION(type, "duration", "RANGE",                                                   \
                      "of the calls named before it, only those of 1ms..5ms, or wall:1ms.."),      \
        TV_SET_OPTION(type, "then", NULL,                                                          \
                      "what is named next is looked for in the calls named before"),               \
        TV_SET_OPTION(type, "call", "CALL",                                                        \
                      "only this call, and what it made: 'Main.run#3' is the third")

/* All of these, and what only answers with rows have. */
#define TV_SCOPE_OPTIONS(type)                                                                     \
    TV_PART_OPTIONS(type, TV_RANGE_END_OPTION(type)), TV_SET_OPTIONS(type),                        \
        {.name = "drop",                                                                           \
         .kind = TV_OPTION_TEXTS,                                                                  \
         .field = offsetof(type, shared.drops),                                                    \
         .argument = "PACKAGES",                                                                   \
         .help = "show no rows of these packages; no number changes",                              \
         .group = TV_GROUP_PART},                                                                  \
    {                                                                                              \
        .name = "json", .kind = TV_OPTION_FLAG, .field = offsetof(type, shared.json),              \
        .help = "the answer as JSON", .group = TV_GROUP_OUTPUT                                     \
    }

/* Of verbs that list methods: idle threads (analysis/question/idle_threads.h) count in --clock
 * wait. */
#define TV_IDLE_OPTION(type)                                                                       \
    {                                                                                              \
        .name = "idle", .kind = TV_OPTION_FLAG, .field = offsetof(type, shared.idle),              \
        .help = "count threads that only waited, which --clock wait leaves out",                   \
        .group = TV_GROUP_PART                                                                     \
    }

/* The options of ordered rows. */
struct tv_order_options {
    const char *key; /* NULL: the verb's own */
    const char *order;
    double cut; /* rows below this share are left out */
};

/* The rows of a verb's option table for a `struct tv_order_options order` in its struct `type`.
 * `words` is tv_sort_words or a longer list of the same order, and `help` tells them. */
#define TV_ORDER_OPTIONS_OF(type, words, help_text)                                                \
    {.name = "sort",                                                                               \
     .kind = TV_OPTION_CHOICE,                                                                     \
     .field = offsetof(type, order.key),                                                           \
     .argument = "KEY",                                                                            \
     .help = (help_text),                                                                          \
     .choices = (words)},                                                                          \
        {.name = "order",                                                                          \
         .kind = TV_OPTION_CHOICE,                                                                 \
         .field = offsetof(type, order.order),                                                     \
         .argument = "ORDER",                                                                      \
         .help = "asc or desc (names and ranks asc, others desc)",                                 \
         .choices = tv_order_words},                                                               \
    {                                                                                              \
        .name = "percent-limit", .kind = TV_OPTION_SHARE, .field = offsetof(type, order.cut),      \
        .argument = "PERCENT", .help = "leave out rows below this share of 100 %"                  \
    }

#define TV_ORDER_OPTIONS(type, key_word)                                                           \
    TV_ORDER_OPTIONS_OF(type, tv_sort_words,                                                       \
                        "exclusive, inclusive, calls, per-call, name or rank (" key_word ")")

/* A file that is asked about, and its index. */
struct tv_question_trace {
    const char *file; /* as the user named it */
    const struct tv_index *index;
};

/* As many as one question can be about. */
#define TV_QUESTION_TRACES 2u

/* An index that is being asked. */
struct tv_asking {
    const struct tv_cli *cli; /* `limited` */
    struct tv_cli limited;    /* the verb's, with the allocator of `limit` */
    struct tv_limit limit;    /* what the answer may take (docs/index.md, "Memory") */
    /* The traces that the question is about, the first of which is meant. */
    struct tv_question_trace traces[TV_QUESTION_TRACES];
    size_t trace_count;
    const char *file; /* of the trace that is meant */
    const struct tv_index *index;
    const char *named_by;  /* the mapping of its names; NULL: none, or nobody said */
    struct tv_arena arena; /* of the question's lists */
    struct tv_text hints;  /* lines that follow the reason when there is no answer */
};

/* Begins to ask: the answer gets its memory from a limit. Must be released, and not be moved. */
void tv_asking_init(struct tv_asking *asking, const struct tv_cli *cli, const char *file,
                    const struct tv_index *index);
void tv_asking_release(struct tv_asking *asking);
/* Prints why there is no answer, and the hints that were left. Returns a status. */
int tv_asking_fail(const struct tv_asking *asking, const struct tv_error *err);

/* How a verb asks its question. `values` is the verb's own: its options and its question. */
struct tv_question_plan {
    /* Fills the question from the options. NULL: the question has none. */
    enum tv_code (*fill)(struct tv_asking *asking, void *values, struct tv_error *err);
    enum tv_code (*write_json)(const struct tv_api *api, const void *values, struct tv_buffer *body,
                               struct tv_error *err);
    enum tv_code (*write_text)(const struct tv_asking *asking, const void *values,
                               struct tv_text *out, struct tv_error *err);
};

/* Fills a scope from the options, --thread and --process by ids and names. */
enum tv_code tv_question_scope(struct tv_asking *asking, const struct tv_scope_options *options,
                               struct tv_scope *scope, struct tv_error *err) TV_MUST_CHECK;
/* Leaves idle threads out of the scope, unless --idle was given. */
enum tv_code tv_question_idle(struct tv_asking *asking, const struct tv_scope_options *options,
                              struct tv_scope *scope, struct tv_error *err) TV_MUST_CHECK;
/* Fills a sort from the options; `key` is what is sorted by unless they say otherwise. */
void tv_question_order(const struct tv_order_options *options, enum tv_sort_key key,
                       enum tv_measure measure, struct tv_profile_sort *sort);
/* Finds the method that the user named; where several are meant, their names are left as hints. */
enum tv_code tv_question_method(struct tv_asking *asking, const char *method, uint32_t *method_ix,
                                struct tv_error *err) TV_MUST_CHECK;
/* Asks an index and prints the answer, or why there is none. Returns a status: misused for a bad
 * argument. */
int tv_question_answer(const struct tv_cli *cli, const char *file, const struct tv_index *index,
                       const struct tv_question_plan *plan, void *values, bool is_json);
/* Files to ask, the first of which is meant. */
struct tv_question_files {
    const char *const *of;
    size_t count; /* 1 to TV_QUESTION_TRACES */
};

/* Loads the files, warns of what makes their numbers other than they look, and asks them. Returns a
 * status. */
int tv_question_run(const struct tv_cli *cli, const struct tv_question_files *files,
                    const struct tv_question_plan *plan, void *values, bool is_json);

#endif
