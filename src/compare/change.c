/*
 * Comparing runs method by method; see compare/change.h.
 *
 * For each side the calls and the time of a method are medians over its runs, and the split of the
 * change into more calls and dearer calls is made of these medians. Counts are judged by their
 * ranges. The logarithms of the
 * times of methods that have a time in every run are gathered and tested all together at the end,
 * because the test learns from all methods (significance.h). Exclusive times are gathered beside
 * them, whichever times are tested: they tell what all methods of a run have in common.
 *
 * A method that one side has and the other has not is a change of calls, and has no test of time.
 * Methods whose times are below least_ns are not tested, because clocks tell too little about them.
 */
#include "compare/change.h"

#include <math.h>

#include "base/numbers/median.h"

const char *const tv_side_words[TV_SIDE_COUNT] = {[TV_SIDE_OLD] = "old", [TV_SIDE_NEW] = "new"};

/* Exclusive times down to a tenth of the least tested time count for the median method, too: there
 * are more of them, and only their median is taken. */
#define OWN_PART 10.0

struct changing {
    struct tv_changes *out;
    const struct tv_join *join;
    const struct tv_changes_opts *opts;
    double *values; /* one for each run */
    double *room;
    double *log_times; /* of the methods that are tested, all runs of a method side by side */
    size_t tested_count;
    double *own; /* exclusive times in the same way, of methods with enough of it */
    size_t own_count;
    size_t own_left_out; /* methods with enough of it whose calls or callees are other ones */
    double *totals;      /* logarithms of the exclusive times of all methods together, by run */
};

bool tv_changes_lack_time(const struct tv_changes_opts *opts, enum tv_side side)
{
    return opts->lost_data[side] || (opts->clock == TV_CLOCK_WALL && opts->odd_wall[side]);
}

bool tv_changes_are_tested(const struct tv_changes_opts *opts)
{
    return opts->run_counts[TV_SIDE_OLD] >= TV_TESTED_FROM &&
           opts->run_counts[TV_SIDE_NEW] >= TV_TESTED_FROM && !opts->other_processors &&
           !opts->other_builds && !opts->mixed_kinds && !tv_changes_lack_time(opts, TV_SIDE_OLD) &&
           !tv_changes_lack_time(opts, TV_SIDE_NEW);
}

void tv_changes_init(struct tv_changes *changes, const struct tv_alloc *alloc)
{
    *changes = (struct tv_changes){.alloc = alloc};
    tv_significance_init(&changes->significance, alloc);
}

void tv_changes_release(struct tv_changes *changes)
{
    tv_alloc_release(changes->alloc, &changes->of, changes->count, sizeof(*changes->of));
    tv_significance_release(&changes->significance);
    tv_changes_init(changes, changes->alloc);
}

bool tv_change_is_on(const struct tv_change *change, enum tv_side side)
{
    return change->sides[side].most_calls > 0;
}

int64_t tv_change_ns(const struct tv_change *change)
{
    return change->cause.by_calls_ns + change->cause.by_cost_ns;
}

enum tv_verdict tv_change_time(const struct tv_changes *changes, const struct tv_change *change)
{
    return change->tested == SIZE_MAX ? TV_VERDICT_UNDECIDED
                                      : changes->significance.rows[change->tested].verdict;
}

static uint64_t time_of_kind(const struct tv_changes_opts *opts, const struct tv_method_row *row,
                             enum tv_time_kind kind)
{
    const uint64_t *times =
        kind == TV_TIME_INCLUSIVE ? row->numbers.inclusive_ns : row->numbers.exclusive_ns;
    return times[opts->clock];
}

static uint64_t time_of(const struct tv_changes_opts *opts, const struct tv_method_row *row)
{
    return time_of_kind(opts, row, opts->kind);
}

/* The times of a method in the runs of a side. */
struct side_times {
    const struct tv_join *join;
    const struct tv_changes_opts *opts;
    size_t method, first;
};

static uint64_t time_of_run(const void *ctx, size_t place)
{
    const struct side_times *of = ctx;
    return time_of(of->opts, tv_join_row(of->join, of->method, of->first + place));
}

uint64_t tv_change_time_at(const struct tv_join *join, const struct tv_changes_opts *opts,
                           size_t method, enum tv_side side, size_t place)
{
    const struct side_times of = {join, opts, method,
                                  side == TV_SIDE_NEW ? opts->run_counts[TV_SIDE_OLD] : 0};
    return tv_number_after(time_of_run, &of, opts->run_counts[side], place);
}

bool tv_change_is_apart(const struct tv_join *join, const struct tv_changes_opts *opts,
                        size_t method, enum tv_side above, uint64_t least_ns)
{
    const enum tv_side below = above == TV_SIDE_NEW ? TV_SIDE_OLD : TV_SIDE_NEW;
    const size_t below_count = opts->run_counts[below];
    const bool may_leave_out =
        below_count >= TV_LEFT_OUT_FROM && opts->run_counts[above] >= TV_LEFT_OUT_FROM;
    for (unsigned left_out = 0; left_out < (may_leave_out ? 3u : 1u); left_out++) {
        const uint64_t low_ns =
            tv_change_time_at(join, opts, method, below, below_count - 1 - (left_out == 1));
        const uint64_t high_ns = tv_change_time_at(join, opts, method, above, left_out == 2);
        if (high_ns > low_ns && high_ns - low_ns > least_ns &&
            (double)high_ns > (double)low_ns * opts->test.least_ratio)
            return true;
    }
    return false;
}

/* Inclusive time is that of outermost calls, exclusive time that of all. */
static uint64_t timed_calls(const struct changing *changing, const struct tv_method_row *row)
{
    return row->numbers.calls +
           (changing->opts->kind == TV_TIME_EXCLUSIVE ? row->recursive_calls : 0);
}

static uint64_t median_of(const struct changing *changing, size_t count)
{
    return (uint64_t)tv_median(changing->values, changing->room, count);
}

/* `values` is used twice, for calls and for times: a median needs a copy that it may reorder. Runs
 * in which nothing is known of the method are left out. */
static void fill_side(const struct changing *changing, size_t method, enum tv_side side,
                      struct tv_change_side *to)
{
    const size_t first = side == TV_SIDE_NEW ? changing->opts->run_counts[TV_SIDE_OLD] : 0;
    const size_t count = changing->opts->run_counts[side];
    size_t known = 0;
    for (size_t i = first; i < first + count; i++) {
        const uint64_t calls = tv_join_calls(changing->join, method, i);
        if (!tv_join_is_known(changing->join, method, i))
            continue;
        to->least_calls = !known || calls < to->least_calls ? calls : to->least_calls;
        to->most_calls = calls > to->most_calls ? calls : to->most_calls;
        changing->values[known++] =
            (double)timed_calls(changing, tv_join_row(changing->join, method, i));
    }
    to->known = known;
    to->median.calls = median_of(changing, known);
    known = 0;
    for (size_t i = first; i < first + count; i++) {
        if (tv_join_is_known(changing->join, method, i))
            changing->values[known++] =
                (double)time_of(changing->opts, tv_join_row(changing->join, method, i));
    }
    to->median.time_ns = median_of(changing, known);
}

enum tv_verdict tv_change_judge_calls(const struct tv_change_side *old_side,
                                      const struct tv_change_side *new_side)
{
    uint64_t old_width = old_side->most_calls - old_side->least_calls;
    uint64_t new_width = new_side->most_calls - new_side->least_calls;
    uint64_t width = old_width > new_width ? old_width : new_width;
    uint64_t gap = 0;
    if (new_side->least_calls > old_side->most_calls)
        gap = new_side->least_calls - old_side->most_calls;
    else if (old_side->least_calls > new_side->most_calls)
        gap = old_side->least_calls - new_side->most_calls;
    if (gap > width)
        return TV_VERDICT_CHANGED;
    return width ? TV_VERDICT_UNDECIDED : TV_VERDICT_SAME;
}

/* Writes the logarithms of a method's times; false: some run has none. */
static bool write_logs(const struct changing *changing, size_t method, enum tv_time_kind kind,
                       double *to)
{
    for (size_t run = 0; run < changing->join->run_count; run++) {
        uint64_t time_ns =
            time_of_kind(changing->opts, tv_join_row(changing->join, method, run), kind);
        if (!time_ns)
            return false;
        to[run] = log((double)time_ns);
    }
    return true;
}

/* A method that some run has no time of cannot be tested, but may have changed all the same. */
static void note_apart(const struct changing *changing, size_t method, struct tv_change *change)
{
    struct tv_changes *out = changing->out;
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        change->is_apart =
            change->is_apart || tv_change_is_apart(changing->join, changing->opts, method,
                                                   (enum tv_side)side, changing->opts->least_ns);
    out->apart_count += change->is_apart;
    out->time_count[TV_VERDICT_UNDECIDED] += change->is_apart;
}

/* Adds the method to those that are tested, if it has a time in every run. */
static void add_tested(struct changing *changing, size_t method, struct tv_change *change)
{
    size_t runs = changing->join->run_count;
    if (change->sides[TV_SIDE_OLD].median.time_ns < changing->opts->least_ns &&
        change->sides[TV_SIDE_NEW].median.time_ns < changing->opts->least_ns)
        return;
    if (write_logs(changing, method, changing->opts->kind,
                   changing->log_times + changing->tested_count * runs))
        change->tested = changing->tested_count++;
    else if (tv_change_is_on(change, TV_SIDE_OLD) && tv_change_is_on(change, TV_SIDE_NEW))
        note_apart(changing, method, change);
}

/* Whether the method is called as often as it was, and calls the same methods as often: what else
 * it takes is the machine's, or a change of its own code. Counts that are not the program's cannot
 * tell. Callees are judged as calls are: by the gap between the ranges of both sides. */
static bool is_called_alike(const struct changing *changing, size_t method,
                            const struct tv_change *change)
{
    const size_t old_count = changing->opts->run_counts[TV_SIDE_OLD];
    double least[TV_SIDE_COUNT] = {HUGE_VAL, HUGE_VAL};
    double most[TV_SIDE_COUNT] = {0, 0};
    if (changing->opts->no_counts[TV_SIDE_OLD] || changing->opts->no_counts[TV_SIDE_NEW])
        return true;
    for (size_t run = 0; run < changing->join->run_count; run++) {
        const enum tv_side side = run < old_count ? TV_SIDE_OLD : TV_SIDE_NEW;
        const double callees = tv_join_callees(changing->join, method, run);
        least[side] = fmin(least[side], callees);
        most[side] = fmax(most[side], callees);
    }
    const double gap =
        fmax(least[TV_SIDE_NEW] - most[TV_SIDE_OLD], least[TV_SIDE_OLD] - most[TV_SIDE_NEW]);
    const double width =
        fmax(most[TV_SIDE_OLD] - least[TV_SIDE_OLD], most[TV_SIDE_NEW] - least[TV_SIDE_NEW]);
    return change->calls != TV_VERDICT_CHANGED && gap <= width;
}

/* Adds the method to those whose exclusive times tell what all have in common, if it has enough of
 * it, and calls and is called as before. Enough is told by the mean of the logarithms of all runs,
 * which is the point from which runs differ: a choice by the times of one side would prefer those
 * that are long on it. */
static void add_own(struct changing *changing, size_t method, const struct tv_change *change)
{
    size_t runs = changing->join->run_count;
    double *own = changing->own + changing->own_count * runs;
    double sum = 0;
    if (!write_logs(changing, method, TV_TIME_EXCLUSIVE, own))
        return;
    for (size_t run = 0; run < runs; run++)
        sum += own[run];
    if (exp(sum / (double)runs) * OWN_PART < (double)changing->opts->least_ns)
        return;
    if (is_called_alike(changing, method, change))
        changing->own_count++;
    else
        changing->own_left_out++;
}

/* What all methods together took. A machine scales CPU time; wall time is mostly that of threads
 * which wait. NULL: it does not tell. */
static const double *find_totals(const struct changing *changing)
{
    const struct tv_join *join = changing->join;
    if (changing->opts->clock != TV_CLOCK_CPU)
        return NULL;
    for (size_t run = 0; run < join->run_count; run++) {
        double sum = 0;
        for (size_t method = 0; method < join->count; method++)
            sum += (double)time_of_kind(changing->opts, tv_join_row(join, method, run),
                                        TV_TIME_EXCLUSIVE);
        if (tv_join_cut_calls(join, run) || sum <= 0)
            return NULL;
        changing->totals[run] = log(sum);
    }
    return changing->totals;
}

static bool is_known_everywhere(const struct changing *changing, const struct tv_change *change,
                                enum tv_side side)
{
    return change->sides[side].known == changing->opts->run_counts[side];
}

static void count_sides(const struct changing *changing, const struct tv_change *change)
{
    struct tv_changes *out = changing->out;
    const bool is_on[TV_SIDE_COUNT] = {tv_change_is_on(change, TV_SIDE_OLD),
                                       tv_change_is_on(change, TV_SIDE_NEW)};
    out->common_count += is_on[TV_SIDE_OLD] && is_on[TV_SIDE_NEW];
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        out->only_count[side] += is_on[side] && !is_on[!side] &&
                                 is_known_everywhere(changing, change, (enum tv_side) !side);
}

/* Counts that are not the program's brought nothing. */
static struct tv_cause cause_of(const struct changing *changing, const struct tv_change *change)
{
    const struct tv_calls_and_time *was = &change->sides[TV_SIDE_OLD].median;
    const struct tv_calls_and_time *is = &change->sides[TV_SIDE_NEW].median;
    if (changing->opts->no_counts[TV_SIDE_OLD] || changing->opts->no_counts[TV_SIDE_NEW])
        return (struct tv_cause){.by_cost_ns = (int64_t)is->time_ns - (int64_t)was->time_ns};
    return tv_cause_of(*was, *is);
}

/* The side that has fewer calls of a method than the other for certain. */
static enum tv_side fewer_side(const struct tv_change *change)
{
    const struct tv_change_side *sides = change->sides;
    return sides[TV_SIDE_OLD].most_calls < sides[TV_SIDE_NEW].least_calls ? TV_SIDE_OLD
                                                                          : TV_SIDE_NEW;
}

/* A method whose time is not tested keeps the place SIZE_MAX, which means undecided. */
static void fill_change(struct changing *changing, size_t method)
{
    struct tv_changes *out = changing->out;
    struct tv_change *change = &out->of[method];
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        fill_side(changing, method, (enum tv_side)side, &change->sides[side]);
    if (change->sides[TV_SIDE_OLD].known && change->sides[TV_SIDE_NEW].known)
        change->cause = cause_of(changing, change);
    change->calls =
        !changing->opts->no_counts[TV_SIDE_OLD] && !changing->opts->no_counts[TV_SIDE_NEW] &&
                !changing->opts->other_builds &&
                is_known_everywhere(changing, change, TV_SIDE_OLD) &&
                is_known_everywhere(changing, change, TV_SIDE_NEW)
            ? tv_change_judge_calls(&change->sides[TV_SIDE_OLD], &change->sides[TV_SIDE_NEW])
            : TV_VERDICT_UNDECIDED;
    change->tested = SIZE_MAX;
    const struct tv_joined_method *of = &changing->join->methods[method];
    const bool is_changed = change->calls == TV_VERDICT_CHANGED;
    const bool is_inlined = is_changed && of->is_inlined_on[fewer_side(change)];
    const bool is_listed =
        of->has_other_lists || (is_changed && !is_inlined && of->is_listed_on[fewer_side(change)]);
    const bool has_other_own = is_inlined || is_listed || of->has_other_inlined;
    change->has_mapped_calls = is_inlined || is_listed;
    if (change->has_mapped_calls)
        change->calls = TV_VERDICT_UNDECIDED;
    out->inlined_count += is_inlined;
    out->listed_count += is_listed;
    change->is_mapped_otherwise =
        changing->opts->kind == TV_TIME_EXCLUSIVE ? has_other_own : is_inlined || is_listed;
    out->calls_count[change->calls]++;
    if (!is_inlined && !is_listed)
        count_sides(changing, change);
    if (changing->log_times && !change->is_mapped_otherwise) {
        add_tested(changing, method, change);
        if (!has_other_own)
            add_own(changing, method, change);
    }
}

/* Methods are filled one by one, and their times tested together afterwards; a method that was not
 * tested has no row there. */
static enum tv_code compare(struct changing *changing, struct tv_error *err)
{
    struct tv_changes *out = changing->out;
    const size_t *run_counts = changing->opts->run_counts;
    for (size_t method = 0; method < out->count; method++)
        fill_change(changing, method);
    const struct tv_log_times times = {.of = changing->log_times,
                                       .method_count = changing->tested_count,
                                       .own = changing->own,
                                       .own_count = changing->own_count,
                                       .own_left_out = changing->own_left_out,
                                       .totals = find_totals(changing),
                                       .run_counts = {run_counts[0], run_counts[1]}};
    if (changing->tested_count)
        TV_TRY(tv_significance_test(&out->significance, &times, &changing->opts->test, err));
    for (size_t i = 0; i < out->significance.row_count; i++)
        out->time_count[out->significance.rows[i].verdict]++;
    return TV_OK;
}

/* Without enough runs on both sides nothing is tested, and no room for logarithms is taken. */
enum tv_code tv_changes_make(struct tv_changes *changes, const struct tv_join *join,
                             const struct tv_changes_opts *opts, struct tv_error *err)
{
    const struct tv_alloc *alloc = changes->alloc;
    struct changing changing = {.out = changes, .join = join, .opts = opts};
    size_t times_count = tv_changes_are_tested(opts) ? join->count * join->run_count : 0;
    tv_changes_release(changes);
    TV_TRY(tv_alloc_new(alloc, &changes->of, join->count, sizeof(*changes->of), err));
    changes->count = join->count;
    enum tv_code code =
        tv_alloc_new(alloc, &changing.values, 3 * join->run_count, sizeof(double), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &changing.log_times, times_count, sizeof(double), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &changing.own, times_count, sizeof(double), err);
    if (code == TV_OK) {
        changing.room = changing.values + join->run_count;
        changing.totals = changing.room + join->run_count;
        code = compare(&changing, err);
    }
    tv_alloc_release(alloc, &changing.values, 3 * join->run_count, sizeof(double));
    tv_alloc_release(alloc, &changing.log_times, times_count, sizeof(double));
    tv_alloc_release(alloc, &changing.own, times_count, sizeof(double));
    if (code != TV_OK)
        tv_changes_release(changes);
    return code;
}
