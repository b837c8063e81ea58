/*
 * What diff found, how it is made, and who writes it: as text, as JSON, and as the formats of other
 * tools.
 */
#ifndef TV_CLI_COMPARE_DIFF_H
#define TV_CLI_COMPARE_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/trace_clock.h"
#include "cli/answers/call_pair.h"
#include "cli/answers/question.h"
#include "cli/cli.h"
#include "cli/compare/rule_file.h"
#include "cli/compare/run_set.h"
#include "cli/options.h"
#include "cli/wording.h"
#include "compare/change.h"
#include "compare/comparison.h"
#include "compare/hand_match.h"

struct tv_diff {
    const struct tv_cli *cli;
    struct tv_hand_matches matches;
    struct tv_comparison of;
    bool is_part; /* not all of each recording is compared */
    /* Two calls are compared, and no recordings. */
    bool is_of_calls;
    struct tv_call_pair pair;
    struct tv_rule_file rules;
    struct tv_side_mappings mappings;
    bool has_told_mapping; /* that one mapping named both sides, or it is not to be told */
    struct tv_run_method part_methods[3]; /* --root, and both of --between */
};

/* The part of each recording that is compared, as options give it. Zeros: all of it. */
struct tv_diff_part {
    struct tv_time_value from;
    struct tv_time_value to;
    struct tv_texts threads;
    const char *root;
    struct tv_word_list between;
};

struct tv_diff_plan {
    struct tv_comparison_opts opts;
    struct tv_diff_part part;
    const struct tv_texts *matches;    /* "OLD=NEW" each; NULL: none */
    const char *rules;                 /* a file; NULL: none */
    struct tv_call_pair_options calls; /* NULLs: recordings are compared, not calls */
    const char *const *files;
    const char *old_side; /* what the old side is to the user; NULL: "the old side" */
    const struct tv_cli
        *old_cli; /* that has the mapping of the old side; NULL: it is the new one's */
};

bool tv_diff_has_part(const struct tv_diff_part *part);
void tv_diff_init(struct tv_diff *diff, const struct tv_cli *cli);
void tv_diff_release(struct tv_diff *diff);
/* Loads and compares the files, and judges the rules. Returns a status, and tells what is wrong; a
 * rule that is not kept is no failure of this. */
int tv_diff_make(struct tv_diff *diff, const struct tv_diff_plan *plan);
/* Compares runs that are loaded already, the old ones first, without rules; the files of the plan
 * are not used. Returns a status. */
int tv_diff_make_of(struct tv_diff *diff, const struct tv_diff_plan *plan,
                    struct tv_asking *const *runs);

/* Compares the two calls that the plan names in the trace that is asked. The files and the part of
 * the plan are ignored. */
enum tv_code tv_diff_make_calls(struct tv_diff *diff, const struct tv_diff_plan *plan,
                                struct tv_asking *asking, struct tv_error *err) TV_MUST_CHECK;

/* Reads methods that are matched by hand, "OLD=NEW" each. Returns a status, and prints what is
 * wrong; messages about misuse begin with `option`. */
int tv_diff_read_matches(const struct tv_cli *cli, const char *option, const struct tv_texts *texts,
                         struct tv_hand_matches *matches);
/* Reads methods that are matched by hand, and looks their new names up in the new files. */
int tv_diff_take_matches(const struct tv_cli *cli, const char *option, const struct tv_texts *texts,
                         const char *const *new_files, size_t new_count,
                         struct tv_hand_matches *matches);

/* Pieces of what people read, in each format; none has a name from a trace in it. */
const char *tv_diff_clock_word(const struct tv_diff *diff);
void tv_diff_add_signed_ms(struct tv_text *out, int64_t time_ns);
/* "+8.2 %" of a ratio of 1.082. */
void tv_diff_add_ratio(struct tv_text *out, double ratio);
/* How both totals differ, and the median method. */
void tv_diff_add_totals(struct tv_text *out, const struct tv_diff *diff);
/* Adds the notes, a line each: that the sides have no method in common, or that a name stands for
 * several methods. */
void tv_diff_add_notes(struct tv_text *out, const struct tv_diff *diff);
/* How many methods have other calls; counts are compared. */
void tv_diff_add_calls_summary(struct tv_text *out, const struct tv_diff *diff);
void tv_diff_add_time_summary(struct tv_text *out, const struct tv_diff *diff);
/* A method's change in a sentence: "12 calls became 14". */
void tv_diff_add_calls_told(struct tv_text *out, const struct tv_change *change);
void tv_diff_add_time_told(struct tv_text *out, const struct tv_diff *diff,
                           const struct tv_change *change);

/* Whether the answer has a tree of callers: contexts are compared, and the sides have something in
 * common. */
bool tv_diff_has_tree(const struct tv_diff *diff);
/* Whether calls changed, or moved, in a place of that tree. */
bool tv_diff_has_other_places(const struct tv_diff *diff);
/* Whether everything got slower or faster by more than counts as a change: the test of each method
 * compares it with the median method, so it does not see a change of all. */
bool tv_diff_is_all_moved(const struct tv_diff *diff);
/* In how many places the calls changed, and how many methods' calls moved. */
void tv_diff_add_tree_summary(struct tv_text *out, const struct tv_diff *diff);
/* The two functions that write a sentence with names in it: one for words, one for methods by their
 * places in the join. */
struct tv_diff_pieces {
    void (*words)(void *ctx, struct tv_str words);
    enum tv_code (*name)(void *ctx, uint32_t method, struct tv_error *err);
    void *ctx;
};
/* "4 calls of C.m moved: below A.a > B.b 4 became 0, below A.a > D.d 0 became 4." */
enum tv_code tv_diff_tell_moved(const struct tv_diff *diff, size_t i,
                                const struct tv_diff_pieces *pieces,
                                struct tv_error *err) TV_MUST_CHECK;
/* "... > A.a > B.b > C.m": a context by its last callers. */
enum tv_code tv_diff_tell_path(const struct tv_diff *diff, uint32_t place,
                               const struct tv_diff_pieces *pieces,
                               struct tv_error *err) TV_MUST_CHECK;
/* Whether threads are told of: there are several, and some are new or gone, or have other calls. */
bool tv_diff_has_threads(const struct tv_diff *diff);
void tv_diff_add_threads_summary(struct tv_text *out, const struct tv_diff *diff);
/* How many rows of a list of `count` are shown. */
size_t tv_diff_shown(const struct tv_diff *diff, size_t count);

enum tv_code tv_diff_text(const struct tv_diff *diff, struct tv_text *out,
                          struct tv_error *err) TV_MUST_CHECK;
/* The comparison of two calls of the trace that is asked, as text. */
enum tv_code tv_diff_calls_text(const struct tv_diff *diff, const struct tv_asking *asking,
                                struct tv_text *out, struct tv_error *err) TV_MUST_CHECK;
/* The answer of the api's route (api/routes/comparison_json.h), with the verdicts of rules in it.
 */
enum tv_code tv_diff_json(const struct tv_diff *diff, struct tv_buffer *body,
                          struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_diff_markdown(const struct tv_diff *diff, struct tv_buffer *body,
                              struct tv_error *err) TV_MUST_CHECK;
/* The Markdown without its heading, as a part of a longer page. */
enum tv_code tv_diff_markdown_body(const struct tv_diff *diff, struct tv_out *out,
                                   struct tv_error *err) TV_MUST_CHECK;
/* The suites alone, with `of` before the name of each; empty: nothing. */
enum tv_code tv_diff_junit_suites(const struct tv_diff *diff, struct tv_str of, struct tv_out *out,
                                  struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_diff_junit(const struct tv_diff *diff, struct tv_buffer *body,
                           struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_diff_sarif(const struct tv_diff *diff, struct tv_buffer *body,
                           struct tv_error *err) TV_MUST_CHECK;

#endif
