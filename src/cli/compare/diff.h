/* What diff found, for those who write it: as text, as JSON, and as the formats of other tools. */
#ifndef TV_CLI_COMPARE_DIFF_H
#define TV_CLI_COMPARE_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/trace_clock.h"
#include "cli/cli.h"
#include "cli/compare/rule_file.h"
#include "cli/wording.h"
#include "compare/change.h"
#include "compare/method_join.h"

/* One recording. */
struct tv_diff_run {
    const char *file;
    uint64_t calls;
    uint64_t total_ns[TV_CLOCK_COUNT]; /* root calls of all threads */
    bool has_clock[TV_CLOCK_COUNT];
    bool has_idle_cpu; /* the CPU clock never moves */
};

/* Methods of the answer, the first of which matter most. */
struct tv_diff_list {
    uint32_t *of; /* places in the changes, with room for all */
    size_t count;
};

struct tv_diff {
    const struct tv_cli *cli;
    struct tv_diff_run *runs; /* the old ones first */
    size_t run_counts[TV_SIDE_COUNT];
    enum tv_clock clock;
    enum tv_time_kind kind;
    double least_ratio;
    uint64_t most_rows; /* of each list; 0: all */
    struct tv_join join;
    struct tv_changes changes;
    struct tv_error no_counts; /* why counts are not compared; TV_OK: they are */
    const char *no_counts_of;  /* the file */
    struct tv_rule_file rules;
    struct tv_diff_list calls; /* methods whose counts changed */
    struct tv_diff_list times; /* tested: those whose time changed; else all whose time differs */
    struct tv_diff_list open;  /* tested and undecided */
};

TV_INLINE bool tv_diff_is_tested(const struct tv_diff *diff)
{
    return diff->run_counts[TV_SIDE_OLD] >= TV_TESTED_FROM &&
           diff->run_counts[TV_SIDE_NEW] >= TV_TESTED_FROM;
}

/* The rows of a list that are shown. */
size_t tv_diff_shown(const struct tv_diff *diff, const struct tv_diff_list *list);
/* The median over the runs of a side: of calls, or of the total on the diff's clock. */
uint64_t tv_diff_calls(const struct tv_diff *diff, enum tv_side side);
uint64_t tv_diff_total(const struct tv_diff *diff, enum tv_side side);

/* Pieces of what people read, in each format; none has a name from a trace in it. */
const char *tv_diff_clock_word(const struct tv_diff *diff);
void tv_diff_add_signed_ms(struct tv_text *out, int64_t time_ns);
/* "+8.2 %" of a ratio of 1.082. */
void tv_diff_add_ratio(struct tv_text *out, double ratio);
/* The calls of a side: 12, or 3..7. */
void tv_diff_add_range(struct tv_text *out, const struct tv_change_side *side);
/* How both totals differ, and the median method. */
void tv_diff_add_totals(struct tv_text *out, const struct tv_diff *diff);
/* That nothing is in common, or that names stand for several methods: a line for each. */
void tv_diff_add_notes(struct tv_text *out, const struct tv_diff *diff);
/* How many methods have other calls; counts are compared. */
void tv_diff_add_calls_summary(struct tv_text *out, const struct tv_diff *diff);
void tv_diff_add_time_summary(struct tv_text *out, const struct tv_diff *diff);
/* A method's change in a sentence: "12 calls became 14". */
void tv_diff_add_calls_told(struct tv_text *out, const struct tv_change *change);
void tv_diff_add_time_told(struct tv_text *out, const struct tv_diff *diff,
                           const struct tv_change *change);

enum tv_code tv_diff_text(const struct tv_diff *diff, struct tv_text *out,
                          struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_diff_json(const struct tv_diff *diff, struct tv_buffer *body,
                          struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_diff_markdown(const struct tv_diff *diff, struct tv_buffer *body,
                              struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_diff_junit(const struct tv_diff *diff, struct tv_buffer *body,
                           struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_diff_sarif(const struct tv_diff *diff, struct tv_buffer *body,
                           struct tv_error *err) TV_MUST_CHECK;

#endif
