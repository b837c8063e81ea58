/*
 * The statistics of diff (src/compare/significance.h) and of a file of rules, by themselves: all
 * methods of made-up runs are tested, and then judged by as many rules as a file may have, each of
 * which is a growth of all methods.
 *
 * significance METHODS RUNS ROUNDS     half of the runs are old
 *
 * Prints one JSON object: methods, runs, rules, and the processor's nanoseconds of each, the median
 * of the rounds.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compare/rule/gate.h"

#define RULE "time of * grows <= 10 % and 5 ms\n"

static uint64_t cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void demand(enum tv_code code)
{
    if (code == TV_OK)
        return;
    fprintf(stderr, "significance: failed\n");
    exit(1);
}

static int compare_times(const void *a, const void *b)
{
    const uint64_t *left = a;
    const uint64_t *right = b;
    return (*left > *right) - (*left < *right);
}

/* Methods of 2 to 50 ms that vary by a tenth, and have names of their own. */
static void make_join(struct tv_join *join, size_t methods, size_t runs, bool is_uneven)
{
    uint64_t state = 1;

    *join = (struct tv_join){.count = methods, .run_count = runs};
    join->methods = calloc(methods, sizeof(*join->methods));
    join->numbers = calloc(methods * runs, sizeof(*join->numbers));
    for (size_t m = 0; join->methods && join->numbers && m < methods; m++) {
        char *name = malloc(24);
        if (!name)
            exit(1);
        snprintf(name, 24, "m%zu", m);
        join->methods[m].class_name.stem = TV_STR("com.example.C");
        join->methods[m].name.stem = tv_str_from(name);
        for (size_t run = 0; run < runs; run++) {
            struct tv_numbers *numbers = &join->numbers[m * runs + run].numbers;
            state = state * 6364136223846793005u + 1442695040888963407u;
            numbers->calls = 1 + m % 7;
            numbers->inclusive_ns[TV_CLOCK_CPU] =
                (2000000 + m % 49 * 1000000) / 1000 *
                (1000 + (state >> 33) % 100 * (is_uneven && run % 4 == 0 ? 8 : 1));
        }
    }
}

static void read_rules(struct tv_rules *rules, char *text)
{
    for (size_t i = 0; i < TV_RULES_MOST; i++)
        memcpy(text + i * (sizeof(RULE) - 1), RULE, sizeof(RULE) - 1);
    tv_rules_init(rules, tv_alloc_libc());
    demand(tv_rules_read(rules, (struct tv_str){text, TV_RULES_MOST * (sizeof(RULE) - 1)}, NULL));
}

int main(int argc, char **argv)
{
    size_t methods = argc > 1 ? strtoul(argv[1], NULL, 10) : 5000;
    size_t runs = argc > 2 ? strtoul(argv[2], NULL, 10) : 40;
    size_t rounds = argc > 3 ? strtoul(argv[3], NULL, 10) : 9;
    const struct tv_changes_opts opts = {.run_counts = {runs / 2, runs - runs / 2},
                                         .clock = TV_CLOCK_CPU,
                                         .least_ns = 1000000,
                                         .test = {.least_ratio = 1.05, .level = 0.05}};
    static char text[TV_RULES_MOST * sizeof(RULE)];
    static struct tv_rule_verdict verdicts[TV_RULES_MOST];
    struct tv_join join;
    struct tv_rules rules;
    struct tv_rule_numbers numbers;
    uint64_t *tested = calloc(rounds, sizeof(*tested));
    uint64_t *judged = calloc(rounds, sizeof(*judged));

    if (!tested || !judged || !rounds || runs < 4)
        return 1;
    make_join(&join, methods, runs, argc > 4);
    read_rules(&rules, text);
    tv_rule_numbers_init(&numbers, tv_alloc_libc());
    tv_rule_numbers_begin(&numbers, &rules, runs);
    const struct tv_run_clocks clocks = {.has_idle_cpu = false}; /* all runs have both */
    const struct tv_gate gate = {tv_alloc_libc(),    &rules,  &join, &numbers, &opts,
                                 {&clocks, &clocks}, 20261124};
    for (size_t i = 0; i < rounds; i++) {
        struct tv_changes changes;
        uint64_t begin = cpu_ns();
        tv_changes_init(&changes, tv_alloc_libc());
        demand(tv_changes_make(&changes, &join, &opts, NULL));
        tested[i] = cpu_ns() - begin;
        if (changes.significance.row_count != methods)
            return 1;
        tv_changes_release(&changes);
        begin = cpu_ns();
        demand(tv_gate_judge(&gate, verdicts, NULL));
        judged[i] = cpu_ns() - begin;
    }
    qsort(tested, rounds, sizeof(*tested), compare_times);
    qsort(judged, rounds, sizeof(*judged), compare_times);
    printf("{\"methods\": %zu, \"runs\": %zu, \"test_ns\": %" PRIu64 ", \"rules\": %zu, "
           "\"rules_ns\": %" PRIu64 "}\n",
           methods, runs, tested[rounds / 2], rules.count, judged[rounds / 2]);
    return 0;
}
