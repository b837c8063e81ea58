/*
 * What diff and a lockfile claim of many random halves of one set of recordings, and what simpler
 * rules would have claimed of the same times: bench/record_sets.py makes the sets.
 *
 * claims PAIRS RUNS TRACE...                unchanged: old and new are drawn from one set
 * claims PAIRS RUNS TRACE... -- TRACE...    new is drawn from the second set, of bench/planted.c
 *
 * All recordings are read once and joined; a pair of sides is then a choice of columns, so a
 * thousand pairs take seconds. Of planted sets exclusive times are compared, as the one function
 * that takes longer has no callees. Prints one JSON object a program.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "compare/call_lock.h"
#include "compare/comparison.h"
#include "compare/distributions.h"
#include "format/trace.h"
#include "index/build/build.h"
#include "os/file/file.h"
#include "os/memory/alloc.h"
#include "os/process/pool.h"

#define MOST_RUNS 12u     /* of a side */
#define NAMED 7           /* the planted function that takes longer, */
#define CALLED 11         /* and the one that is called once more */
#define NAMED_TOGETHER 20 /* part_00 to part_19: what one rule names */

/* What a rule claims over all pairs. */
struct tally {
    unsigned long pairs;  /* with any false claim */
    unsigned long claims; /* false ones */
    unsigned long found;  /* pairs where the planted function is claimed */
};

enum rule { OURS, NAMED_ALONE, NAMED_OF_TWENTY, BENCHSTAT, RANK_ADJUSTED, TENTH, RULES };

struct claiming {
    struct tv_join all;
    struct tv_join pair; /* the chosen columns; the names are those of `all` */
    size_t set_counts[2];
    size_t runs;
    bool is_planted;
    struct tally rules[RULES];
    struct tally calls, lines;
    unsigned long tested;
    unsigned long divided; /* pairs whose times are beside the median method */
    uint64_t state;
};

static void demand(enum tv_code code, const struct tv_error *err)
{
    if (code == TV_OK)
        return;
    fprintf(stderr, "claims: %s\n", err ? err->text : "out of memory");
    exit(1);
}

static void *room(size_t count, size_t len)
{
    void *at = calloc(count + 1, len);
    if (!at)
        demand(TV_ERR_MEMORY, NULL);
    return at;
}

static uint32_t next_random(struct claiming *claiming)
{
    claiming->state = claiming->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(claiming->state >> 33);
}

static void add_trace(struct claiming *claiming, const char *path, size_t run)
{
    const struct tv_alloc *alloc = tv_alloc_libc();
    struct tv_error err = {.code = TV_OK};
    struct tv_file file;
    struct tv_trace trace;
    struct tv_index index;
    struct tv_run_numbers numbers;

    tv_file_init(&file, alloc);
    tv_trace_init(&trace, alloc);
    tv_index_init(&index);
    tv_run_numbers_init(&numbers, alloc);
    demand(tv_file_open(&file, path, NULL, &err), &err);
    demand(tv_trace_open(&trace, file.bytes, file.len, &(struct tv_read_opts){0}, &err), &err);
    demand(tv_index_build(&index, &trace, &(struct tv_build_opts){.pool = NULL}, &err), &err);
    demand(tv_run_counts_check(&index, &err), &err);
    const struct tv_run_part part = tv_run_part_all();
    demand(tv_run_part_take(&part, &index, NULL, &numbers, &err), &err);
    demand(tv_join_add_run(&claiming->all, run, &numbers, NULL, &err), &err);
    tv_run_numbers_release(&numbers);
    tv_index_release(&index);
    tv_trace_release(&trace);
    tv_file_release(&file);
}

/* Draws `wanted` different runs of [first, first + count). */
static void draw(struct claiming *claiming, size_t first, size_t count, size_t wanted, size_t *to)
{
    for (size_t i = 0; i < wanted;) {
        bool is_new = true;
        to[i] = first + next_random(claiming) % count;
        for (size_t k = 0; k < i; k++)
            is_new = is_new && to[k] != to[i];
        i += is_new;
    }
}

/* Makes the pair's join: the columns of the runs that were drawn, old ones first, of methods that
 * one of them has. */
static void choose(struct claiming *claiming)
{
    const struct tv_join *all = &claiming->all;
    struct tv_join *pair = &claiming->pair;
    size_t drawn[2 * MOST_RUNS];
    const size_t runs = claiming->runs;

    if (claiming->is_planted) {
        draw(claiming, 0, claiming->set_counts[0], runs, drawn);
        draw(claiming, claiming->set_counts[0], claiming->set_counts[1], runs, drawn + runs);
    } else {
        draw(claiming, 0, claiming->set_counts[0], 2 * runs, drawn);
    }
    pair->count = 0;
    for (size_t method = 0; method < all->count; method++) {
        struct tv_method_row *rows = &pair->numbers[pair->count * pair->run_count];
        double *callees = &pair->callees[pair->count * pair->run_count];
        uint64_t calls = 0;
        for (size_t run = 0; run < pair->run_count; run++) {
            rows[run] = *tv_join_row(all, method, drawn[run]);
            callees[run] = all->callees[method * all->run_count + drawn[run]];
            calls += tv_join_calls(all, method, drawn[run]);
        }
        pair->methods[pair->count] = all->methods[method];
        pair->count += calls > 0;
    }
}

static bool is_part(const struct tv_joined_method *method, unsigned part)
{
    char name[16];
    int len = snprintf(name, sizeof(name), "part_%02u", part);
    return tv_str_equal(method->name.stem, (struct tv_str){name, (size_t)len});
}

static bool is_one_of_twenty(const struct tv_joined_method *method)
{
    for (unsigned part = 0; part < NAMED_TOGETHER; part++) {
        if (is_part(method, part))
            return true;
    }
    return false;
}

/* What a rule claims of a pair, while it is collected. */
struct claim {
    unsigned long wrong;
    bool found;
};

static void claim(const struct claiming *claiming, struct claim *to, size_t method)
{
    if (claiming->is_planted && is_part(&claiming->pair.methods[method], NAMED))
        to->found = true;
    else
        to->wrong++;
}

static void add_claims(struct tally *tally, const struct claim *claim)
{
    tally->pairs += claim->wrong > 0;
    tally->claims += claim->wrong;
    tally->found += claim->found;
}

/* How `compare` orders rank tests. */
struct ranked {
    double p;
    size_t method;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *left = a;
    const struct ranked *right = b;
    return (left->p > right->p) - (left->p < right->p);
}

static double time_of(const struct claiming *claiming, size_t method, size_t run)
{
    const struct tv_method_row *row = tv_join_row(&claiming->pair, method, run);
    return (double)(claiming->is_planted ? row->numbers.exclusive_ns[TV_CLOCK_CPU]
                                         : row->numbers.inclusive_ns[TV_CLOCK_CPU]);
}

/* What others would say of the methods that were tested, by the times as they were measured. */
static void judge_simply(struct claiming *claiming, const struct tv_changes *changes,
                         const struct tv_rank_sums *sums, struct claim claims[RULES])
{
    const size_t runs = claiming->runs;
    struct ranked *ranked = room(changes->count, sizeof(*ranked));
    size_t count = 0;
    size_t claimed = 0;

    for (size_t method = 0; method < changes->count; method++) {
        const struct tv_change *change = &changes->of[method];
        double times[2 * MOST_RUNS];
        double p;
        struct tv_error err = {.code = TV_OK};
        if (change->tested == SIZE_MAX)
            continue;
        for (size_t run = 0; run < 2 * runs; run++)
            times[run] = time_of(claiming, method, run);
        demand(tv_rank_test(sums, times, times + runs, &p, &err), &err);
        double ratio = (double)change->sides[TV_SIDE_NEW].median.time_ns /
                       (double)change->sides[TV_SIDE_OLD].median.time_ns;
        ranked[count++] = (struct ranked){p, method};
        if (p < 0.05)
            claim(claiming, &claims[BENCHSTAT], method);
        if (fabs(ratio - 1) > 0.1)
            claim(claiming, &claims[TENTH], method);
    }
    qsort(ranked, count, sizeof(*ranked), compare_ranked);
    for (size_t i = 0; i < count; i++) {
        if (ranked[i].p * (double)count / (double)(i + 1) <= 0.05)
            claimed = i + 1;
    }
    for (size_t i = 0; i < claimed; i++)
        claim(claiming, &claims[RANK_ADJUSTED], ranked[i].method);
    free(ranked);
}

/* A rule of growth that names one planted function, or twenty together, by Holm. */
static void judge_named(struct claiming *claiming, struct tv_changes *changes,
                        struct claim claims[RULES])
{
    uint32_t order[NAMED_TOGETHER];
    size_t methods[NAMED_TOGETHER];
    size_t count = 0;
    struct tv_significance_row *rows = changes->significance.rows;

    for (size_t method = 0; method < changes->count; method++) {
        const struct tv_change *change = &changes->of[method];
        if (change->tested == SIZE_MAX || !is_one_of_twenty(&claiming->pair.methods[method]))
            continue;
        if (is_part(&claiming->pair.methods[method], NAMED) && rows[change->tested].p <= 0.05 &&
            rows[change->tested].change > 0)
            claims[NAMED_ALONE].found = true;
        methods[count] = method;
        order[count++] = (uint32_t)change->tested;
    }
    demand(tv_significance_adjust(&changes->significance, order, count, TV_ADJUST_GATE, NULL),
           NULL);
    for (size_t i = 0; i < count; i++) {
        const struct tv_significance_row *row = &rows[changes->of[methods[i]].tested];
        if (row->p_adjusted <= 0.05 && row->change > 0)
            claim(claiming, &claims[NAMED_OF_TWENTY], methods[i]);
    }
}

/* Lines of a lockfile of the old side that one of the new runs would change. */
static void check_lock(struct claiming *claiming, const struct tv_changes *changes)
{
    const struct tv_join *pair = &claiming->pair;
    struct claim lines = {.wrong = 0};

    for (size_t method = 0; method < pair->count; method++) {
        const struct tv_change_side *old_side = &changes->of[method].sides[TV_SIDE_OLD];
        const struct tv_lock_line locked = {{"", 0}, old_side->least_calls, old_side->most_calls};
        bool differs = false;
        for (size_t run = claiming->runs; run < 2 * claiming->runs; run++) {
            uint64_t calls = tv_join_calls(pair, method, run);
            const struct tv_lock_line line = {{"", 0}, calls, calls};
            enum tv_lock_change how =
                tv_lock_compare(old_side->most_calls ? &locked : NULL, calls ? &line : NULL);
            bool is_none = !old_side->most_calls && !calls;
            differs = differs || (!is_none && how != TV_LOCK_SAME && how != TV_LOCK_STRAY);
        }
        lines.wrong +=
            differs && !(claiming->is_planted && is_part(&pair->methods[method], CALLED));
        lines.found = lines.found || (differs && is_part(&pair->methods[method], CALLED));
    }
    add_claims(&claiming->lines, &lines);
}

static void judge_pair(struct claiming *claiming, const struct tv_rank_sums *sums)
{
    const struct tv_changes_opts opts = {
        .run_counts = {claiming->runs, claiming->runs},
        .clock = TV_CLOCK_CPU,
        .kind = claiming->is_planted ? TV_TIME_EXCLUSIVE : TV_TIME_INCLUSIVE,
        .least_ns = TV_TESTED_LEAST_NS,
        .test = {.least_ratio = 1 + TV_COMPARED_LEAST, .level = TV_TESTED_LEVEL}};
    struct tv_changes changes;
    struct claim claims[RULES] = {{.wrong = 0}};
    struct claim calls = {.wrong = 0};
    struct tv_error err = {.code = TV_OK};

    choose(claiming);
    tv_changes_init(&changes, tv_alloc_libc());
    demand(tv_changes_make(&changes, &claiming->pair, &opts, &err), &err);
    claiming->tested += changes.significance.row_count;
    claiming->divided += tv_significance_is_normalised(&changes.significance);
    for (size_t method = 0; method < changes.count; method++) {
        const struct tv_change *change = &changes.of[method];
        if (change->tested != SIZE_MAX && tv_change_time(&changes, change) == TV_VERDICT_CHANGED)
            claim(claiming, &claims[OURS], method);
        if (change->calls != TV_VERDICT_CHANGED)
            continue;
        if (claiming->is_planted && is_part(&claiming->pair.methods[method], CALLED))
            calls.found = true;
        else
            calls.wrong++;
    }
    judge_simply(claiming, &changes, sums, claims);
    check_lock(claiming, &changes);
    if (claiming->is_planted)
        judge_named(claiming, &changes, claims);
    for (unsigned rule = 0; rule < RULES; rule++)
        add_claims(&claiming->rules[rule], &claims[rule]);
    add_claims(&claiming->calls, &calls);
    tv_changes_release(&changes);
}

static void print_tally(const char *name, const struct tally *tally)
{
    printf(", \"%s\": {\"pairs\": %lu, \"claims\": %lu, \"found\": %lu}", name, tally->pairs,
           tally->claims, tally->found);
}

static void print(const struct claiming *claiming, unsigned long pairs)
{
    static const char *const names[RULES] = {"diff",      "named_alone",   "named_of_twenty",
                                             "benchstat", "rank_adjusted", "tenth"};
    printf("{\"pairs\": %lu, \"runs\": %zu, \"recordings\": %zu, \"methods\": %zu, \"tested\": "
           "%.1f, \"divided\": %lu",
           pairs, claiming->runs, claiming->all.run_count, claiming->all.count,
           (double)claiming->tested / (double)pairs, claiming->divided);
    for (unsigned rule = 0; rule < RULES; rule++)
        print_tally(names[rule], &claiming->rules[rule]);
    print_tally("calls", &claiming->calls);
    print_tally("lock_lines", &claiming->lines);
    printf("}\n");
}

/* The traces of one or two sets, which "--" parts. */
static void read_sets(struct claiming *claiming, char **paths, size_t count)
{
    size_t run = 0;
    for (size_t i = 0; i < count; i++)
        claiming->is_planted = claiming->is_planted || strcmp(paths[i], "--") == 0;
    tv_join_begin(&claiming->all, count - claiming->is_planted);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(paths[i], "--") == 0) {
            claiming->set_counts[0] = run;
            continue;
        }
        add_trace(claiming, paths[i], run++);
    }
    claiming->set_counts[claiming->is_planted] = run - claiming->set_counts[0];
    demand(tv_join_finish(&claiming->all, NULL), NULL);
}

/* Whether each side can be drawn. */
static bool is_enough(const struct claiming *claiming)
{
    if (claiming->runs < TV_TESTED_FROM || claiming->runs > MOST_RUNS)
        return false;
    if (!claiming->is_planted)
        return claiming->set_counts[0] >= 2 * claiming->runs;
    return claiming->set_counts[0] >= claiming->runs && claiming->set_counts[1] >= claiming->runs;
}

int main(int argc, char **argv)
{
    struct claiming claiming = {.state = 20261128};
    struct tv_rank_sums sums;

    if (argc < 4) {
        fprintf(stderr, "claims PAIRS RUNS TRACE... [-- TRACE...]\n");
        return 2;
    }
    unsigned long pairs = strtoul(argv[1], NULL, 10);
    claiming.runs = strtoul(argv[2], NULL, 10);
    tv_join_init(&claiming.all, tv_alloc_libc());
    read_sets(&claiming, argv + 3, (size_t)argc - 3);
    if (!is_enough(&claiming) || !pairs) {
        fprintf(stderr, "claims: too few recordings for so many runs a side\n");
        return 2;
    }
    claiming.pair = (struct tv_join){.alloc = tv_alloc_libc(), .run_count = 2 * claiming.runs};
    claiming.pair.methods = room(claiming.all.count, sizeof(*claiming.pair.methods));
    claiming.pair.numbers =
        room(claiming.all.count * claiming.pair.run_count, sizeof(*claiming.pair.numbers));
    claiming.pair.callees =
        room(claiming.all.count * claiming.pair.run_count, sizeof(*claiming.pair.callees));
    tv_rank_sums_init(&sums, tv_alloc_libc());
    demand(tv_rank_sums_make(&sums, claiming.runs, claiming.runs, NULL), NULL);
    for (unsigned long i = 0; i < pairs; i++)
        judge_pair(&claiming, &sums);
    print(&claiming, pairs);
    tv_rank_sums_release(&sums);
    free(claiming.pair.methods);
    free(claiming.pair.numbers);
    free(claiming.pair.callees);
    tv_join_release(&claiming.all);
    return 0;
}
