/*
 * top: the methods of a trace by the time that they took, one row a method. The rows come from
 * analysis/question/top_question.h, in order and cut to -n; this file fills the question and lays
 * out the table.
 *
 * `--json` and the route `top` of the page answer the same question.
 */
#include "analysis/question/top_question.h"
#include "api/answers.h"
#include "base/error.h"
#include "cli/answers/profile_table.h"
#include "cli/answers/question.h"
#include "cli/answers/top_columns.h"
#include "cli/verb.h"

/* `per_call` and `overhead` add columns that cost more than the others: see fill. */
struct top_options {
    struct tv_scope_options shared;
    uint64_t count;
    struct tv_order_options order;
    const char *group;
    const char *columns;
    bool per_call;
    bool overhead;
};

/* The words of one command and what they ask; `columns` is only for the text. */
struct top_command {
    const struct top_options *options;
    struct tv_top_question question;
    struct tv_top_columns columns;
};

static const char *const group_words[] = {"class", "package", NULL};

/* No --group: methods; its words stand in group_words in this order. */
static enum tv_top_rows rows_of(const struct top_options *options)
{
    if (!options->group)
        return TV_TOP_METHODS;
    return tv_choice_position(group_words, options->group) ? TV_TOP_PACKAGES : TV_TOP_CLASSES;
}

/* Looks over what can be refused before the file is read. Ranks and percentiles are those of
 * methods. */
static enum tv_code check(const struct top_options *options, struct tv_error *err)
{
    if (options->group && options->order.key &&
        tv_choice_position(tv_sort_words, options->order.key) == TV_SORT_RANK)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "--sort rank: groups have no ranks");
    if (options->group && options->per_call)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "--per-call: groups have no percentiles");
    if (options->group && options->overhead)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "--overhead: groups have none");
    return tv_top_columns_check(options->columns, rows_of(options), err);
}

/* Options become a question, of which the text and the JSON are two answers. What costs a walk over
 * all calls is only asked for where a column shows it. */
static enum tv_code fill(struct tv_asking *asking, void *values, struct tv_error *err)
{
    struct top_command *command = values;
    const struct top_options *options = command->options;
    struct tv_top_question *question = &command->question;
    TV_TRY(tv_question_scope(asking, &options->shared, &question->scope, err));
    TV_TRY(tv_question_idle(asking, &options->shared, &question->scope, err));
    tv_question_order(&options->order, TV_SORT_EXCLUSIVE, question->scope.measure, &question->sort);
    question->slice.count = options->count;
    question->cut = options->order.cut;
    question->rows = rows_of(options);
    if (options->shared.matches.count || options->shared.drops.count)
        question->set = TV_TOP_SET_OF_ALL;
    const struct tv_top_columns_for what = {
        .rows = question->rows,
        .measure = question->scope.measure,
        .has_wall = question->scope.measure == TV_MEASURE_CPU &&
                    asking->index->info->has_clock[TV_CLOCK_WALL],
        .has_per_call = options->per_call,
        .has_overhead = options->overhead,
        .has_allocated = question->rows == TV_TOP_METHODS && tv_allocated_is_told(asking->index),
        .has_stayed = question->rows == TV_TOP_METHODS &&
                      question->scope.measure == TV_MEASURE_CPU &&
                      tv_top_tells_stayed(asking->index, &question->scope)};
    TV_TRY(tv_top_columns_take(&command->columns, options->columns, &what, err));
    /* Percentiles cost a scan of all calls. */
    const unsigned needs = tv_top_columns_needs(&command->columns);
    question->has_percentiles = options->per_call || (needs & TV_TOP_NEEDS_PERCENTILES);
    question->has_overhead = options->overhead || (needs & TV_TOP_NEEDS_OVERHEAD);
    question->has_allocated = needs & TV_TOP_NEEDS_ALLOCATED;
    question->has_stayed = needs & TV_TOP_NEEDS_STAYED;
    return TV_OK;
}

static enum tv_code write_json(const struct tv_api *api, const void *command,
                               struct tv_buffer *body, struct tv_error *err)
{
    return tv_answer_top(api, &((const struct top_command *)command)->question, body, err);
}

/* Writes what the columns of tracing stand on. */
static void write_record_cost(const struct tv_top_question *question,
                              const struct tv_record_cost *cost, struct tv_text *out)
{
    if (!question->has_overhead)
        return;
    if (cost->left_out) {
        tv_text_add(
            out,
            "\nTracing is not told: %llu calls were left out when the trace was written, and "
            "what recording them cost is in the time of what called them\n",
            (unsigned long long)cost->left_out);
        return;
    }
    if (!cost->is_known) {
        tv_text_add(out, "\nthe file does not say what a record of a call cost\n");
        return;
    }
    tv_text_add(out, "\nTracing is an estimate: ");
    if (cost->has_parts)
        tv_text_add(out, "%.0f ns a call and %.0f ns a call that it makes by the file",
                    cost->leaf_ns, cost->calling_ns);
    else
        tv_text_add(out, "%.1f ns a record by the file", cost->ns);
    if (cost->is_partial)
        tv_text_add(out, ", for reading the clocks alone");
    if (cost->has_margin)
        tv_text_add(out, "; the shortest leaf calls take %.1f ns", cost->shortest_ns);
    tv_text_add(out, "\n");
}

/* Writes what the column of certain CPU time stands on. */
static void write_stayed(const struct top_command *command, const struct tv_top *top,
                         struct tv_text *out)
{
    if (!command->question.has_stayed)
        return;
    if (!top->stayed_ns) {
        tv_text_add(out,
                    "\nWhat CPU time stayed is told of whole sampled traces of other recorders "
                    "alone: without --from, --to and --hide\n");
        return;
    }
    const uint64_t total_ns = top->profile.total_ns[TV_CLOCK_CPU];
    tv_text_add(out, "\nStayed: ");
    tv_text_add_ms(out, (int64_t)top->stayed_total_ns);
    tv_text_add(out, " of ");
    tv_text_add_ms(out, (int64_t)total_ns);
    tv_text_add(out, " ms of CPU time (");
    tv_text_add_percent(out, (int64_t)top->stayed_total_ns, total_ns);
    tv_text_add(out, " %%) are of stacks that stayed from look to look; the rest may be of the "
                     "method that came next. --clock wall is true to a look\n");
}

/* Writes what the methods of a filtered table took together. One method needs no sum. */
static void write_set(const struct tv_top_question *question, const struct tv_profile_table *table,
                      const struct tv_set_totals *set, struct tv_text *out)
{
    if (question->set == TV_TOP_NO_SET || set->methods < 2)
        return;
    int64_t exclusive_ns = tv_profile_table_exclusive(table, &set->numbers);
    int64_t inclusive_ns = tv_profile_table_inclusive(table, &set->numbers);
    tv_text_add(out, "\nall ");
    tv_text_add_count(out, set->methods);
    tv_text_add(out, " methods: ");
    tv_text_add_count(out, set->numbers.calls);
    bool is_sampled = table->asking->index->info->is_sampled;
    tv_text_add(out, " %s, exclusive ", is_sampled ? "runs" : "calls");
    tv_text_add_ms(out, exclusive_ns);
    tv_text_add(out, " ms");
    tv_profile_table_share(table, exclusive_ns, out);
    tv_text_add(out, ", inclusive ");
    tv_text_add_ms(out, inclusive_ns);
    tv_text_add(out, " ms");
    tv_profile_table_share(table, inclusive_ns, out);
    tv_text_add(out, ", %s inside one another counted once\n", is_sampled ? "runs" : "calls");
}

/* Writes the table, and how many rows -n leaves out. */
static enum tv_code write_rows(const struct top_command *command, struct tv_profile_table *table,
                               const struct tv_top *top, struct tv_text *out, struct tv_error *err)
{
    tv_top_columns_write(&command->columns, table, top, &command->question);
    tv_profile_table_caption(table, out);
    if (top->slice.len)
        TV_TRY(tv_profile_table_write(table, out, err));
    else
        tv_text_add(out, table->asking->index->info->is_sampled ? "no runs\n" : "no calls\n");
    tv_profile_table_hidden(table, top->profile.hidden_ns, out);
    write_set(&command->question, table, &top->set, out);
    if (top->slice.len < top->count) {
        tv_text_add(out, "\nand ");
        tv_text_add_count(out, top->count - top->slice.len);
        tv_text_add(out, " more: -n 0 shows all\n");
    }
    if (top->small_count) {
        tv_text_add(out, "\nand ");
        tv_text_add_count(out, top->small_count);
        tv_text_add(out, " below the limit\n");
    }
    write_record_cost(&command->question, &top->record_cost, out);
    write_stayed(command, top, out);
    if (command->question.has_allocated)
        tv_text_add(out,
                    top->allocated
                        ? "\nkB are of the whole recording, by a sample of what was allocated\n"
                        : "\nthe file does not say what methods allocated: record --alloc\n");
    return TV_OK;
}

/* The table needs the total of the answer, so it is made after it; without an answer it stays
 * empty. */
static enum tv_code write_text(const struct tv_asking *asking, const void *values,
                               struct tv_text *out, struct tv_error *err)
{
    const struct top_command *command = values;
    const struct tv_top_question *question = &command->question;
    struct tv_profile_table table;
    struct tv_top top;
    tv_top_init(&top, asking->cli->alloc);
    enum tv_code code = tv_top_compute(&top, asking->index, question, asking->cli->pool, err);
    tv_profile_table_init(&table, asking, &question->scope, top.profile.total_ns);
    if (code == TV_OK)
        code = write_rows(command, &table, &top, out, err);
    tv_profile_table_release(&table);
    tv_top_release(&top);
    return code;
}

static const struct tv_question_plan plan = {fill, write_json, write_text};

/* What does not fit together is refused before the file is read. */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct top_options *options = values;
    struct top_command command = {.options = options};
    struct tv_error err = {.code = TV_OK};
    if (check(options, &err) != TV_OK)
        return tv_cli_misuse(cli, "top: %s", err.text);
    return tv_question_run(cli, &(struct tv_question_files){arguments->of, 1}, &plan, &command,
                           options->shared.json);
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
    TV_IDLE_OPTION(struct top_options),
    {.name = "group",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct top_options, group),
     .argument = "GROUP",
     .help = "rows of classes or packages: class or package",
     .choices = group_words},
    {.name = "per-call",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct top_options, per_call),
     .help = "mean, least, median, 95th percentile and most of a call"},
    {.name = "overhead",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct top_options, overhead),
     .help = "how much of the exclusive time is tracing, and what is left"},
    {.name = "columns",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct top_options, columns),
     .argument = "LIST",
     .help = "these columns, or with + before the list these besides"},
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
    .values_len = TV_VALUES_LEN(struct top_options),
    .notes = "Inclusive time counts outermost calls only; calls are shown as outermost+recursive.\n"
             "Columns: " TV_TOP_COLUMN_WORDS ".",
    .examples = {{"traceview top -n 10 --sort inclusive --thread main app.trace",
                  "the ten methods with the most inclusive time on the main thread"},
                 {"traceview top --from 100ms --to 200ms --hide java.,jdk. app.trace",
                  "a tenth of a second, the time of the library given to whoever called it"}},
    .run = run,
};
