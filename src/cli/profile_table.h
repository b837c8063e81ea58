/* The columns that tables of methods share: times and shares on the clock asked for, calls, name.
 */
#ifndef TV_CLI_PROFILE_TABLE_H
#define TV_CLI_PROFILE_TABLE_H

#include "analysis/profile/profile.h"
#include "base/compiler.h"
#include "cli/question.h"
#include "cli/table.h"

struct tv_profile_table {
    const struct tv_question *question;
    struct tv_table table;
    struct tv_buffer name; /* of the method at hand */
    uint64_t total_ns;     /* 100 % */
    enum tv_code code;
};

/* `measured`: "Excl CPU ms" and the like; %s is the clock. */
void tv_profile_table_init(struct tv_profile_table *table, const struct tv_question *question,
                           const uint64_t total_ns[TV_CLOCK_COUNT]);
void tv_profile_table_release(struct tv_profile_table *table);
/* Adds the columns of tv_profile_table_times. */
void tv_profile_table_time_columns(struct tv_profile_table *table);
/* Exclusive and inclusive time, each with its share. */
void tv_profile_table_times(struct tv_profile_table *table, const struct tv_numbers *numbers);
/* The last column: the method, behind `indent` blanks. */
void tv_profile_table_method(struct tv_profile_table *table, uint32_t method_ix, unsigned indent);
/* "CPU time; 100 % is 1,234.567 ms, the root calls of all threads" */
void tv_profile_table_caption(const struct tv_profile_table *table, struct tv_text *out);
enum tv_code tv_profile_table_write(const struct tv_profile_table *table, struct tv_text *out,
                                    struct tv_error *err) TV_MUST_CHECK;
/* "Calls", or "Runs" where the trace was sampled. */
const char *tv_calls_header(const struct tv_index *index);

#endif
