/*
 * top: the methods of a trace by the time that they took, one row a method. The rows come from
 * analysis/question/top_question.h, in order and cut to -n; this file fills the question and lays
 * out the table.
 */
#include "analysis/question/top_question.h"
#include "api/answers.h"
#include "base/error.h"
#include "cli/profile_table.h"
#include "cli/question.h"
#include "cli/verb.h"

/* Without so much room for names, a terminal does not show wall time beside CPU time. */
#define WALL_NAME_WIDTH 48u

struct top_options {
    struct tv_scope_options shared;
    uint64_t count;
    struct tv_order_options order;
    bool per_call;
};

struct top_asked {
    const struct top_options *options;
    struct tv_top_question question;
};

static enum tv_code fill(struct tv_asking *asking, void *values, struct tv_error *err)
{
    struct top_asked *asked = values;
    const struct top_options *options = asked->options;
    struct tv_top_question *question = &asked->question;
    TV_TRY(tv_question_scope(asking, &options->shared, &question->scope, err));
    tv_question_order(&options->order, TV_SORT_EXCLUSIVE, question->scope.measure, &question->sort);
    question->page.count = options->count;
    question->rows = TV_TOP_METHODS;
    /* The table has no column for percentiles, which cost a scan of all calls. */
    question->has_percentiles = options->per_call && options->shared.json;
    return TV_OK;
}

static enum tv_code write_json(const struct tv_api *api, const void *asked, struct tv_buffer *body,
                               struct tv_error *err)
{
    return tv_answer_top(api, &((const struct top_asked *)asked)->question, body, err);
}

/* Whether wall time is shown beside CPU time: a method may wait much longer than it works. */
static bool has_wall_column(const struct tv_profile_table *table)
{
    return table->scope->measure == TV_MEASURE_CPU &&
           table->asking->index->info->has_clock[TV_CLOCK_WALL];
}

static void add_wall_column(struct tv_profile_table *table)
{
    tv_table_column(&table->table, "Incl wall ms", TV_ALIGN_RIGHT);
    tv_table_spare_below(&table->table, WALL_NAME_WIDTH);
}

static void add_columns(struct tv_profile_table *table)
{
    tv_profile_table_time_columns(table);
    if (has_wall_column(table))
        add_wall_column(table);
    tv_profile_table_calls_column(table);
    tv_profile_table_bar_column(table);
    tv_table_column(&table->table, "Method", TV_ALIGN_LEFT);
}

static void add_row(struct tv_profile_table *table, const struct tv_method_row *row,
                    uint32_t method_ix)
{
    tv_profile_table_times(table, &row->numbers);
    if (has_wall_column(table))
        tv_table_ms(&table->table, (int64_t)row->numbers.inclusive_ns[TV_CLOCK_WALL]);
    tv_profile_table_calls(table, row);
    tv_profile_table_bar(table, tv_measure_of(row->numbers.exclusive_ns, table->scope->measure));
    tv_profile_table_method(table, method_ix);
}

/* Writes the table, and how many rows -n leaves out. */
static enum tv_code write_rows(struct tv_profile_table *table, const struct tv_top *top,
                               struct tv_text *out, struct tv_error *err)
{
    add_columns(table);
    for (size_t i = 0; i < top->page.len; i++) {
        uint32_t method = top->methods[top->page.first + i];
        add_row(table, &top->profile.rows[method], method);
    }
    tv_profile_table_caption(table, out);
    if (top->page.len)
        TV_TRY(tv_profile_table_write(table, out, err));
    else
        tv_text_add(out, "no calls\n");
    tv_profile_table_hidden(table, top->profile.hidden_ns, out);
    if (top->page.len < top->count) {
        tv_text_add(out, "\nand ");
        tv_text_add_count(out, top->count - top->page.len);
        tv_text_add(out, " more: -n 0 shows all\n");
    }
    return TV_OK;
}

static enum tv_code write_text(const struct tv_asking *asking, const void *values,
                               struct tv_text *out, struct tv_error *err)
{
    const struct tv_top_question *question = &((const struct top_asked *)values)->question;
    struct tv_profile_table table;
    struct tv_top top;
    tv_top_init(&top, asking->cli->alloc);
    enum tv_code code = tv_top_compute(&top, asking->index, question, asking->cli->pool, err);
    tv_profile_table_init(&table, asking, &question->scope, top.profile.total_ns);
    if (code == TV_OK)
        code = write_rows(&table, &top, out, err);
    tv_profile_table_release(&table);
    tv_top_release(&top);
    return code;
}

static const struct tv_question_plan plan = {fill, write_json, write_text};

static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct top_options *options = values;
    struct top_asked asked = {.options = options};
    return tv_question_run(cli, arguments->of[0], &plan, &asked, options->shared.json);
}

static const struct tv_option options[] = {
    {.letter = 'n',
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct top_options, count),
     .argument = "COUNT",
     .help = "how many rows; 0 is all (20)",
     .most = UINT32_MAX},
    TV_ORDER_OPTIONS(struct top_options, "exclusive"),
    TV_SCOPE_OPTIONS(struct top_options),
    {.name = "per-call",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct top_options, per_call),
     .help = "with --json: least, median, 95th percentile and most of a call"},
};

static const struct top_options defaults = {.count = 20};

const struct tv_verb tv_verb_top = {
    .name = "top",
    .summary = "methods by the time that they took",
    .arguments = "FILE",
    .argument_count = 1,
    .uses_index = true,
    .prints_tables = true,
    .names_methods = true,
    .options = TV_OPTIONS(options),
    .defaults = &defaults,
    .values_len = sizeof(struct top_options),
    .notes = "Inclusive time counts outermost calls only; calls are shown as outermost+recursive.",
    .examples = {{"traceview top -n 10 --sort inclusive --thread main app.trace",
                  "the ten methods with the most inclusive time on the main thread"},
                 {"traceview top --from 100ms --to 200ms --hide java.,jdk. app.trace",
                  "a tenth of a second, the time of the library given to whoever called it"}},
    .run = run,
};
