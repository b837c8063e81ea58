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

#include "api/comparisons/ruling.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/text/json.h"
#include "base/text/out.h"
#include "cli/cli.h"
#include "cli/wording.h"

struct tv_rule_file {
    const struct tv_cli *cli;
    const char *file; /* NULL: there are none */
    struct tv_buffer text;
    struct tv_ruling of;
};

void tv_rule_file_init(struct tv_rule_file *rules, const struct tv_cli *cli);
void tv_rule_file_release(struct tv_rule_file *rules);
/* Reads a file of rules for `run_count` recordings. */
enum tv_code tv_rule_file_load(struct tv_rule_file *rules, const char *path, size_t run_count,
                               struct tv_error *err) TV_MUST_CHECK;
/* Judges the rules when all recordings were added to `numbers`, and that is finished, too. */
enum tv_code tv_rule_file_judge(struct tv_rule_file *rules, const struct tv_join *join,
                                const struct tv_changes_opts *opts,
                                const struct tv_rule_clocks *clocks,
                                struct tv_error *err) TV_MUST_CHECK;
/* Notes the recording that lacks CPU time which others have, where a rule has no data for it. */
void tv_rule_file_tell_clocks(const struct tv_rule_file *rules, const struct tv_run_clocks *clocks);
/* Today's day in UTC, the same on all machines, counted as in struct tv_rule_allow. */
uint32_t tv_rule_today(void);
/* Looks up the calls that broke rules: loads the recordings again that have them. `files` are all
 * of them; what came from standard input is left out. */
enum tv_code tv_rule_file_find_calls(struct tv_rule_file *rules, const char *const *files,
                                     size_t count, struct tv_error *err) TV_MUST_CHECK;
/* Whether there are rules, and tv_ruling_fails. */
bool tv_rule_file_fails(const struct tv_rule_file *rules);
/* How many rules are kept; no name is in it. */
void tv_rule_file_add_summary(struct tv_text *out, const struct tv_rule_file *rules);
/* Why a rule is not kept, without a name in it. */
void tv_rule_file_add_why(struct tv_text *out, const struct tv_rule_file *rules, size_t place);
/* "at 12.3 ms, for 4.5 ms, on ", without the name of the thread that follows. */
void tv_rule_call_add_times(struct tv_text *out, const struct tv_rule_call *call);
/* Each writes nothing where there are no rules. The text ends with a newline. */
enum tv_code tv_rule_file_text(const struct tv_rule_file *rules, struct tv_text *out,
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
