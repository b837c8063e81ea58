/*
 * The columns that tables of methods share: times and shares on the clock of the question, calls,
 * and the method's name. top, tree and callers each add what is their own.
 */
#ifndef TV_CLI_ANSWERS_PROFILE_TABLE_H
#define TV_CLI_ANSWERS_PROFILE_TABLE_H

#include "analysis/profile/profile.h"
#include "analysis/question/scope.h"
#include "base/compiler.h"
#include "cli/answers/question.h"
#include "cli/terminal/table.h"

struct tv_profile_table {
    const struct tv_asking *asking;
    const struct tv_scope *scope;
    struct tv_text_table table;
    struct tv_buffer name;      /* scratch for the name of a method */
    uint64_t total_ns;          /* what 100 % is; 0: nothing is, and there are no shares */
    int64_t whole_ns;           /* the same, or below 0 where CPU time is longer than wall time */
    uint8_t *is_mostly_tracing; /* by method; NULL: not looked at yet, or nothing is faint */
    bool has_faint;             /* the method of a row is mostly tracing */
    enum tv_code code;          /* the first failure to make a name */
};

/* A terminal does not show these columns if less than this width is left for names
 * (tv_table_spare_below). */
#define TV_CALLS_NAME_WIDTH 24u
#define TV_INCLUSIVE_NAME_WIDTH 18u

/* The name of a method as tables show it: as Java writes it, or as the trace has it with --full. */
enum tv_code tv_asking_method_name(const struct tv_asking *asking, uint32_t method_ix,
                                   struct tv_buffer *name, struct tv_error *err) TV_MUST_CHECK;

/* Begins a table without columns. The scope is borrowed. */
void tv_profile_table_init(struct tv_profile_table *table, const struct tv_asking *asking,
                           const struct tv_scope *scope, const uint64_t total_ns[TV_CLOCK_COUNT]);
void tv_profile_table_release(struct tv_profile_table *table);
/* Adds the columns of tv_profile_table_times. */
void tv_profile_table_time_columns(struct tv_profile_table *table);
/* Adds the column "Calls", or "Runs" where the trace was sampled. */
void tv_profile_table_calls_column(struct tv_profile_table *table);
/* Adds exclusive and inclusive time, each with its share of the total. */
void tv_profile_table_times(struct tv_profile_table *table, const struct tv_numbers *numbers);
/* A time on the measure of the table. A wait below 0 is shown as 0: two clocks tick apart, so such
 * a wait is only known to be small. */
int64_t tv_profile_table_shown(const struct tv_profile_table *table,
                               const uint64_t time_ns[TV_CLOCK_COUNT]);
/* The times of a row on that measure, wait by the rule of tv_wait_of. */
int64_t tv_profile_table_inclusive(const struct tv_profile_table *table,
                                   const struct tv_numbers *numbers);
int64_t tv_profile_table_exclusive(const struct tv_profile_table *table,
                                   const struct tv_numbers *numbers);
/* Adds one time; "-" of a trace without a clock, which has none. */
void tv_profile_table_ms(struct tv_profile_table *table, int64_t time_ns);
/* Adds a time on the measure of the table, with its share of the total. */
void tv_profile_table_time(struct tv_profile_table *table, const uint64_t time_ns[TV_CLOCK_COUNT]);
/* Adds the calls of a method as outermost+recursive. */
void tv_profile_table_calls(struct tv_profile_table *table, const struct tv_method_row *row);
/* Adds a column of bars; not where the table goes to no terminal. */
void tv_profile_table_bar_column(struct tv_profile_table *table);
/* Adds the bar of a time; nothing where there is no such column. */
void tv_profile_table_bar(struct tv_profile_table *table, int64_t time_ns);
/* Adds the last cell of a row: the method. With colours one is faint whose exclusive time, in the
 * whole trace, is mostly that of tracing (analysis/profile/overhead.h). */
void tv_profile_table_method(struct tv_profile_table *table, uint32_t method_ix);
/* Writes "CPU time; 100 % is 1,234.567 ms, the root calls of all threads", or why nothing is 100 %.
 */
void tv_profile_table_caption(const struct tv_profile_table *table, struct tv_text *out);
/* Writes " (12.3 %)", and nothing where nothing is 100 %. */
void tv_profile_table_share(const struct tv_profile_table *table, int64_t time_ns,
                            struct tv_text *out);
/* Writes how much time hidden methods have that no row shows; nothing where they have none. */
void tv_profile_table_hidden(const struct tv_profile_table *table,
                             const uint64_t hidden_ns[TV_CLOCK_COUNT], struct tv_text *out);
enum tv_code tv_profile_table_write(const struct tv_profile_table *table, struct tv_text *out,
                                    struct tv_error *err) TV_MUST_CHECK;

#endif
