/*
 * The rules that recordings have to keep, of a file, and their verdicts for those who write them:
 * `diff --rules` and `check --rules`.
 *
 * A file is loaded before the recordings are, since it says which of their numbers are needed; each
 * recording is then added, and all rules are judged at the end.
 */
#ifndef TV_CLI_COMPARE_RULE_FILE_H
#define TV_CLI_COMPARE_RULE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/memory/buffer.h"
#include "base/text/json.h"
#include "base/text/out.h"
#include "cli/cli.h"
#include "cli/wording.h"
#include "compare/gate.h"
#include "compare/rule.h"
#include "compare/rule_numbers.h"

/* How many of the calls that broke a rule are told, and of how many rules. */
#define TV_RULE_CALLS_TOLD 3u
#define TV_RULES_WITH_CALLS 20u

/* A call that broke a rule. */
struct tv_rule_call {
    uint64_t from_ns; /* on the axis, since the start of the trace */
    uint64_t time_ns; /* how long it lasted, on the clock of the verdict */
    uint32_t thread_id;
    struct tv_str thread; /* its name */
    struct tv_str caller; /* the method that called it; empty: a root call */
};

struct tv_rule_calls {
    struct tv_rule_call of[TV_RULE_CALLS_TOLD];
    size_t count;
    struct tv_str command; /* lines that show them; empty: the recording has no name to say */
};

struct tv_rule_file {
    const struct tv_cli *cli;
    const char *file; /* NULL: there are none */
    struct tv_buffer text;
    struct tv_rules rules;
    struct tv_rule_numbers numbers;
    struct tv_rule_verdict *verdicts; /* one for each rule */
    struct tv_rule_calls *calls;      /* one for each rule, as far as they are looked up */
    struct tv_arena texts;            /* of the calls */
    size_t counts[TV_RULE_STATE_COUNT];
    size_t judged;
    size_t absent; /* of those left out: about names that these recordings have not, as others do */
    size_t failed; /* rules that are an error where they are not kept, and are not */
    size_t first_new; /* run */
    bool is_sample;   /* times were judged by one new recording */
};

void tv_rule_file_init(struct tv_rule_file *rules, const struct tv_cli *cli);
void tv_rule_file_release(struct tv_rule_file *rules);
/* Reads a file, for so many recordings. */
enum tv_code tv_rule_file_load(struct tv_rule_file *rules, const char *path, size_t run_count,
                               struct tv_error *err) TV_MUST_CHECK;
/* Judges the rules when all recordings were added to `numbers`, and that is finished, too. */
enum tv_code tv_rule_file_judge(struct tv_rule_file *rules, const struct tv_join *join,
                                const struct tv_changes_opts *opts,
                                const bool has_clock[TV_CLOCK_COUNT],
                                struct tv_error *err) TV_MUST_CHECK;
/* Looks up the calls that broke rules: loads the recordings again that have them. `files` are all
 * of them; what came from standard input is left out. */
enum tv_code tv_rule_file_find_calls(struct tv_rule_file *rules, const char *const *files,
                                     struct tv_error *err) TV_MUST_CHECK;
/* Whether the recordings fail: a rule that is an error is not kept, or the file says no rule. */
bool tv_rule_file_fails(const struct tv_rule_file *rules);

/* Whether a rule was judged, and is not kept. */
bool tv_rule_file_is_missed(const struct tv_rule_file *rules, size_t place);
/* Whether more is to be told of a rule than that it is kept: it is missed, or allowed to be. */
bool tv_rule_file_is_told(const struct tv_rule_file *rules, size_t place);
/* "error", "warning" or "allowed". */
const char *tv_rule_file_level(const struct tv_rule_file *rules, size_t place);
/* How many rules are kept; no name is in it. */
void tv_rule_file_add_summary(struct tv_text *out, const struct tv_rule_file *rules);
/* Why a rule is not kept, without a name in it. */
void tv_rule_file_add_why(struct tv_text *out, const struct tv_rule_file *rules, size_t place);
/* "at 12.3 ms, for 4.5 ms, on ", without the name of the thread that follows. */
void tv_rule_call_add_times(struct tv_text *out, const struct tv_rule_call *call);
/* The keys "calls" and "command" of an open object; nothing where no calls were looked up. */
void tv_rule_calls_json(const struct tv_rule_calls *calls, struct tv_json *json);
/* Replaces `name` by the method that broke a rule; empty: it is no single one. */
enum tv_code tv_rule_file_method(const struct tv_rule_file *rules, size_t place,
                                 struct tv_buffer *name, struct tv_error *err) TV_MUST_CHECK;
/* Each writes nothing where there are no rules. The text ends with a newline. */
enum tv_code tv_rule_file_text(const struct tv_rule_file *rules, struct tv_text *out,
                               struct tv_error *err) TV_MUST_CHECK;
/* The key "rules" of an open object. */
enum tv_code tv_rule_file_json(const struct tv_rule_file *rules, struct tv_json *json,
                               struct tv_error *err) TV_MUST_CHECK;
/* A sentence and a table. */
enum tv_code tv_rule_file_markdown(const struct tv_rule_file *rules, struct tv_out *out,
                                   struct tv_error *err) TV_MUST_CHECK;
/* A suite, whose name has `of` before it; empty: nothing. */
enum tv_code tv_rule_file_junit(const struct tv_rule_file *rules, struct tv_str of,
                                struct tv_out *out, struct tv_error *err) TV_MUST_CHECK;
/* "OF: SUITE" as the value of an attribute, or the suite where `of` is empty. */
void tv_junit_suite_name(struct tv_out *out, struct tv_str of, const char *suite);
/* The rule that all results are of, and the results as elements of an open list. */
void tv_rule_file_sarif_rule(struct tv_json *json);
enum tv_code tv_rule_file_sarif(const struct tv_rule_file *rules, unsigned rule_index,
                                struct tv_json *json, struct tv_error *err) TV_MUST_CHECK;

#endif
