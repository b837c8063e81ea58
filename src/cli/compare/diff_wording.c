/*
 * The sentences of diff that all formats share; see cli/compare/diff.h.
 *
 * Every format of the answer says the same in the same words, so that a line in a terminal can be
 * found again in the report of a build. Sentences are put together here from numbers; nothing is
 * decided.
 */
#include <math.h>

#include "cli/compare/diff.h"

const char *tv_diff_clock_word(const struct tv_diff *diff)
{
    return diff->of.clock == TV_CLOCK_CPU ? "CPU" : "wall";
}

void tv_diff_add_signed_ms(struct tv_text *out, int64_t time_ns)
{
    if (time_ns > 0)
        tv_text_add(out, "+");
    tv_text_add_ms(out, time_ns);
}

/* From ten thousand times on a percentage says less than a factor. */
void tv_diff_add_ratio(struct tv_text *out, double ratio)
{
    double percent = (ratio - 1) * 100;
    if (fabs(percent) < 1e6)
        tv_text_add(out, "%+.1f %%", percent);
    else
        tv_text_add(out, "%.0f times", ratio);
}

bool tv_diff_is_all_moved(const struct tv_diff *diff)
{
    const struct tv_significance *tested = &diff->of.changes.significance;
    return tv_significance_is_normalised(tested) &&
           fabs(exp(tested->machine) - 1) >= diff->of.opts.least;
}

/* What times are beside, or why they are beside nothing. */
static void add_machine(struct tv_text *out, const struct tv_diff *diff)
{
    const struct tv_significance *tested = &diff->of.changes.significance;
    switch (tested->is_machine) {
    case TV_MACHINE_UNTESTED:
        return;
    case TV_MACHINE_FEW:
        tv_text_add(out,
                    ". Fewer than %u methods have 0.1 ms of their own: times are not divided by "
                    "the machine",
                    TV_NORMALISED_FROM);
        return;
    case TV_MACHINE_OTHER_CALLS:
        tv_text_add(out,
                    ". Fewer than %u methods call and are called as before (%zu of %zu with 0.1 ms "
                    "of their own): times are not divided by the machine",
                    TV_NORMALISED_FROM, tested->own_count,
                    tested->own_count + tested->own_left_out);
        return;
    case TV_MACHINE_DIVIDED:
    case TV_MACHINE_TWO_CLUSTERS:
    case TV_MACHINE_OTHER_TOTAL:
        break;
    }
    tv_text_add(out, ". The median method: ");
    tv_diff_add_ratio(out, exp(tested->machine));
    if (tested->is_machine == TV_MACHINE_DIVIDED)
        tv_text_add(out, ", which is the machine, or a change of everything; changes in percent "
                         "below are beside it, and times are as measured");
    else if (tested->is_machine == TV_MACHINE_TWO_CLUSTERS)
        tv_text_add(out,
                    ", but %zu of %zu moved by less than half of that, so it is not the machine: "
                    "times are not divided by it",
                    tested->own_unmoved, tested->own_count);
    else
        tv_text_add(out, ", but all methods together moved by less than half of that, so it is "
                         "not the machine: times are not divided by it");
}

/* The median method is told apart from the total: if all got slower by the same ratio, it was the
 * machine. */
void tv_diff_add_totals(struct tv_text *out, const struct tv_diff *diff)
{
    uint64_t old_ns = tv_comparison_total(&diff->of, TV_SIDE_OLD);
    if (old_ns) {
        tv_text_add(out, diff->is_part ? "What is compared, together: " : "All threads together: ");
        tv_diff_add_ratio(out,
                          (double)tv_comparison_total(&diff->of, TV_SIDE_NEW) / (double)old_ns);
        tv_text_add(out, " %s time", tv_diff_clock_word(diff));
    } else {
        tv_text_add(out, "The old side has no %s time", tv_diff_clock_word(diff));
    }
    add_machine(out, diff);
    tv_text_add(out, ".");
}

/* What makes the comparison itself doubtful goes before its results. */
void tv_diff_add_notes(struct tv_text *out, const struct tv_diff *diff)
{
    if (!diff->of.changes.common_count && !diff->of.tested_by.other_builds)
        tv_text_add(out, diff->is_of_calls
                             ? "Nothing in common: this call and the other one called no method "
                               "both.\n"
                             : "Nothing in common: no method of the old side is called on the new "
                               "one.\n");
    if (diff->of.join.merged_count) {
        tv_text_add(out, diff->of.changes.common_count ? "" : "\n");
        tv_text_add_count(out, diff->of.join.merged_count);
        tv_text_add(
            out,
            diff->of.join.merged_count == 1
                ? " name stands for several methods of a recording (name* is generated code).\n"
                : " names stand for several methods of a recording (name* is generated code).\n");
    }
}

static void add_methods(struct tv_text *out, size_t count)
{
    tv_text_add_count(out, count);
    tv_text_add(out, count == 1 ? " method" : " methods");
}

/* New and gone methods are changed ones, and told beside their number. */
void tv_diff_add_calls_summary(struct tv_text *out, const struct tv_diff *diff)
{
    const struct tv_changes *changes = &diff->of.changes;
    tv_text_add(out, "Calls: ");
    add_methods(out, changes->calls_count[TV_VERDICT_CHANGED]);
    tv_text_add(out, " changed (");
    tv_text_add_count(out, changes->only_count[TV_SIDE_NEW]);
    tv_text_add(out, diff->is_of_calls ? " in this call alone, " : " new, ");
    tv_text_add_count(out, changes->only_count[TV_SIDE_OLD]);
    tv_text_add(out, diff->is_of_calls ? " in the other one alone), " : " gone), ");
    tv_text_add_count(out, changes->calls_count[TV_VERDICT_SAME]);
    tv_text_add(out, " the same");
    if (changes->calls_count[TV_VERDICT_UNDECIDED] >
        changes->inlined_count + changes->listed_count) {
        tv_text_add(out, ", ");
        tv_text_add_count(out, changes->calls_count[TV_VERDICT_UNDECIDED] - changes->inlined_count -
                                   changes->listed_count);
        tv_text_add(out, " undecided, since they differ from run to run");
    }
    if (changes->inlined_count) {
        tv_text_add(out, ", ");
        tv_text_add_count(out, changes->inlined_count);
        tv_text_add(out, " undecided, since the mapping of the side with fewer calls says that it "
                         "inlined them");
    }
    if (changes->listed_count) {
        tv_text_add(out, ", ");
        tv_text_add_count(out, changes->listed_count);
        tv_text_add(out, " undecided, since a mapping cannot tell them from others on one side");
    }
    tv_text_add(out, ".");
}

/* One run a side is called a sample, so that nobody takes its difference for a result. */
void tv_diff_add_time_summary(struct tv_text *out, const struct tv_diff *diff)
{
    const struct tv_changes *changes = &diff->of.changes;
    tv_text_add(out, diff->of.opts.kind == TV_TIME_INCLUSIVE ? "Inclusive" : "Exclusive");
    if (diff->of.lost.why.code != TV_OK && tv_comparison_has_runs(&diff->of)) {
        tv_text_add(out, " time is not compared: a recording %s.", diff->of.lost.why.text);
        return;
    }
    if (diff->of.tested_by.other_processors && tv_comparison_has_runs(&diff->of)) {
        tv_text_add(out, " time is of different processors, and decides nothing: "
                         "--across-machines tests it all the same.");
        return;
    }
    if (diff->of.tested_by.mixed_kinds && tv_comparison_has_runs(&diff->of)) {
        tv_text_add(out, " time is of samples here and of each call there, and decides nothing.");
        return;
    }
    if (!tv_comparison_is_tested(&diff->of)) {
        tv_text_add(out,
                    " time is one sample a side, and decides nothing: from %u runs a side on it is "
                    "tested.",
                    TV_TESTED_FROM);
        return;
    }
    tv_text_add(out, " time of ");
    add_methods(out, changes->significance.row_count + changes->apart_count);
    tv_text_add(out, " was tested: ");
    tv_text_add_count(out, changes->time_count[TV_VERDICT_CHANGED]);
    tv_text_add(out, " changed by more than %.3g %%, ", diff->of.opts.least * 100);
    tv_text_add_count(out, changes->time_count[TV_VERDICT_SAME]);
    tv_text_add(out, " the same within it, ");
    tv_text_add_count(out, changes->time_count[TV_VERDICT_UNDECIDED]);
    tv_text_add(out, " undecided.");
}

void tv_diff_add_calls_told(struct tv_text *out, const struct tv_change *change)
{
    const struct tv_change_side *sides = change->sides;
    tv_text_add_range(out, sides[TV_SIDE_OLD].least_calls, sides[TV_SIDE_OLD].most_calls);
    tv_text_add(out, sides[TV_SIDE_OLD].most_calls == 1 ? " call became " : " calls became ");
    tv_text_add_range(out, sides[TV_SIDE_NEW].least_calls, sides[TV_SIDE_NEW].most_calls);
}

/* The split into calls and cost comes before the test: it says where to look, the test whether to.
 */
void tv_diff_add_time_told(struct tv_text *out, const struct tv_diff *diff,
                           const struct tv_change *change)
{
    tv_text_add_ms(out, (int64_t)change->sides[TV_SIDE_OLD].median.time_ns);
    tv_text_add(out, " ms became ");
    tv_text_add_ms(out, (int64_t)change->sides[TV_SIDE_NEW].median.time_ns);
    tv_text_add(out, " ms");
    if (diff->of.no_counts.code == TV_OK) {
        tv_text_add(out, ": ");
        tv_diff_add_signed_ms(out, change->cause.by_calls_ns);
        tv_text_add(out, " ms by calls, ");
        tv_diff_add_signed_ms(out, change->cause.by_cost_ns);
        tv_text_add(out, " ms by cost");
    }
    if (change->is_apart)
        tv_text_add(out, "; a run has no time of it, so that no test decides");
    if (change->tested == SIZE_MAX)
        return;
    const struct tv_significance_row *row = &diff->of.changes.significance.rows[change->tested];
    tv_text_add(out, tv_significance_is_normalised(&diff->of.changes.significance)
                         ? "; beside the median method "
                         : "; as measured ");
    tv_diff_add_ratio(out, exp(row->change));
    tv_text_add(out, ", p %.2g", row->p_adjusted);
    if (row->verdict == TV_VERDICT_UNDECIDED && row->runs)
        tv_text_add(out, "; %u runs a side would decide", row->runs);
    else if (row->verdict == TV_VERDICT_UNDECIDED)
        tv_text_add(out, "; over %u runs a side would decide", TV_MOST_RUNS_PROPOSED);
}
