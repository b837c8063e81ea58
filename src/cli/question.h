/*
 * A question to a trace: the options that profile-like verbs share, as a query of the api
 * (docs/api.md), and what it means. With --json the api answers the query; the text verbs take the
 * same query apart with the api's own functions, so both mean the same.
 */
#ifndef TV_CLI_QUESTION_H
#define TV_CLI_QUESTION_H

#include "api/params.h"
#include "base/arena.h"
#include "base/buffer.h"
#include "base/compiler.h"
#include "base/error.h"
#include "cli/cli.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/text.h"
#include "index/index.h"

/* The first member of a verb's options struct. */
struct tv_view_options {
    struct tv_time_value from;
    struct tv_time_value to;
    const char *thread;
    const char *clock;
    const char *match;
    const char *hide;
    bool json;
};

extern const char *const tv_clock_words[];

/* The rows of a verb's option table for a `struct tv_view_options view` in its struct `type`. */
#define TV_VIEW_OPTIONS(type)                                                                      \
    {.name = "clock",                                                                              \
     .kind = TV_OPTION_CHOICE,                                                                     \
     .field = offsetof(type, view.clock),                                                          \
     .argument = "CLOCK",                                                                          \
     .help = "wall, cpu or wait (cpu where the trace has it)",                                     \
     .choices = tv_clock_words},                                                                   \
        {.name = "thread",                                                                         \
         .kind = TV_OPTION_TEXT,                                                                   \
         .field = offsetof(type, view.thread),                                                     \
         .argument = "THREAD",                                                                     \
         .help = "only this thread: an id, or names by pattern ('Async*')"},                       \
        {.name = "from",                                                                           \
         .kind = TV_OPTION_TIME,                                                                   \
         .field = offsetof(type, view.from),                                                       \
         .argument = "TIME",                                                                       \
         .help = "only from then on, since the trace's start: 1.5s, 200ms, 35us"},                 \
        {.name = "to",                                                                             \
         .kind = TV_OPTION_TIME,                                                                   \
         .field = offsetof(type, view.to),                                                         \
         .argument = "TIME",                                                                       \
         .help = "only up to then"},                                                               \
        {.name = "match",                                                                          \
         .kind = TV_OPTION_TEXT,                                                                   \
         .field = offsetof(type, view.match),                                                      \
         .argument = "TEXT",                                                                       \
         .help = "only methods with TEXT in their name; /TEXT/ is a regular expression"},          \
        {.name = "hide",                                                                           \
         .kind = TV_OPTION_TEXT,                                                                   \
         .field = offsetof(type, view.hide),                                                       \
         .argument = "PACKAGES",                                                                   \
         .help = "leave out these packages: java.,android.os."},                                   \
    {                                                                                              \
        .name = "json", .kind = TV_OPTION_FLAG, .field = offsetof(type, view.json),                \
        .help = "the answer as JSON"                                                               \
    }

struct tv_question {
    const struct tv_cli *cli;
    const char *file; /* as the user named it */
    const struct tv_index *index;
    struct tv_arena arena;
    struct tv_buffer query;
    struct tv_text hints; /* lines that follow the reason when there is no answer */
    struct tv_params params;
    struct tv_view view;
};

/* What a verb that asks one question is made of; `asked` is the verb's own. */
struct tv_question_plan {
    const char *route; /* whose answer --json prints */
    /* Makes the query. NULL: it is empty. */
    enum tv_code (*ask)(struct tv_question *question, void *asked, struct tv_error *err);
    /* The answer for people. */
    enum tv_code (*write)(const struct tv_question *question, const void *asked,
                          struct tv_text *out, struct tv_error *err);
};

void tv_question_init(struct tv_question *question, const struct tv_cli *cli, const char *file,
                      const struct tv_index *index);
void tv_question_release(struct tv_question *question);
/* Adds name=value to the query, encoded. */
enum tv_code tv_question_add(struct tv_question *question, const char *name, struct tv_str value,
                             struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_question_add_u64(struct tv_question *question, const char *name, uint64_t value,
                                 struct tv_error *err) TV_MUST_CHECK;
/* Adds the shared options; --thread is resolved to ids here. */
enum tv_code tv_question_add_view(struct tv_question *question,
                                  const struct tv_view_options *options,
                                  struct tv_error *err) TV_MUST_CHECK;
/* Fills params and view out of the query; `known` as for the route. */
enum tv_code tv_question_understand(struct tv_question *question, const char *const *known,
                                    struct tv_error *err) TV_MUST_CHECK;
/* Asks an index and prints the answer, or why there is none. Returns a status: misused for a bad
 * argument. */
int tv_question_answer(const struct tv_cli *cli, const char *file, const struct tv_index *index,
                       const struct tv_question_plan *plan, void *asked, bool is_json);
/* Loads the file and asks it; what matters about its health is told. Returns a status. */
int tv_question_run(const struct tv_cli *cli, const char *file, const struct tv_question_plan *plan,
                    void *asked, bool is_json);

#endif
