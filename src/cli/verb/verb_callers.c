/*
 * callers: who calls a method and what it calls, recursive calls apart
 * (analysis/question/callers_question.h). Each group is a table of its own. Shares in the groups
 * are of the method's inclusive time, and the rows of a group add up to it: what the method did
 * itself and what a filter left out have rows. Recursive groups have no shares, since their calls
 * lie inside each other.
 *
 * Recursive relations have groups of their own, because their time is already inside that of the
 * outermost call and would be counted twice in one list.
 */
#include "analysis/question/callers_question.h"
#include "api/answers.h"
#include "base/error.h"
#include "cli/answers/profile_table.h"
#include "cli/answers/question.h"
#include "cli/verb.h"

struct callers_options {
    struct tv_scope_options shared;
    struct tv_order_options order;
};

/* The words of one command and what they ask: plan.fill makes the question of the options once the
 * index is there. */
struct callers_command {
    const struct callers_options *options;
    const char *method; /* as the user named it */
    struct tv_callers_question question;
};

static const char *const group_titles[TV_RELATION_COUNT] = {
    [TV_RELATION_CALLERS] = "Callers",
    [TV_RELATION_CALLEES] = "Callees",
    [TV_RELATION_CALLERS_RECURSIVE] = "Callers while recursive",
    [TV_RELATION_CALLEES_RECURSIVE] = "Callees while recursive",
};

/* Whether a group has shares of the method's time. Recursive calls lie inside each other, so their
 * times add up to more than the method took. */
static bool has_share(enum tv_relation relation)
{
    return relation == TV_RELATION_CALLERS || relation == TV_RELATION_CALLEES;
}

static bool has_rows(const struct tv_relation_rows *group)
{
    return group->count || group->left_out_count;
}

/* Adds a row for each method at the other end of the group's edges. */
static void add_group(struct tv_profile_table *table, const struct tv_relation_rows *group,
                      enum tv_relation relation)
{
    for (size_t i = 0; i < group->count; i++) {
        const struct tv_relation_row *row = &group->rows[i];
        int64_t time_ns = tv_profile_table_inclusive(table, &row->numbers);
        tv_profile_table_ms(table, time_ns);
        if (has_share(relation))
            tv_table_percent(&table->table, time_ns, table->total_ns);
        tv_text_add_count(&table->table.cells, row->numbers.calls);
        tv_text_add(&table->table.cells, "/");
        tv_text_add_count(&table->table.cells, row->of_calls);
        tv_table_end_cell(&table->table);
        if (has_share(relation))
            tv_profile_table_bar(table, time_ns);
        tv_profile_table_method(table, row->method);
    }
}

/* Adds a row for the methods that --match and --drop left out: the shares still add up. */
static void add_left_out(struct tv_profile_table *table, const struct tv_relation_rows *group,
                         enum tv_relation relation)
{
    int64_t time_ns = tv_profile_table_shown(table, group->left_out.inclusive_ns);
    tv_profile_table_ms(table, time_ns);
    if (has_share(relation))
        tv_table_percent(&table->table, time_ns, table->total_ns);
    tv_table_count(&table->table, group->left_out.calls);
    tv_text_add(&table->table.cells, "(%zu left out)", group->left_out_count);
    tv_table_end_cell(&table->table);
}

/* Writes one group as a table, whose percentages are of the method's own inclusive time. */
static enum tv_code write_group(const struct tv_asking *asking,
                                const struct tv_callers_question *question,
                                const struct tv_callers *callers, enum tv_relation relation,
                                struct tv_text *out, struct tv_error *err)
{
    const struct tv_relations *relations = &callers->relations;
    const struct tv_method_row *row = &callers->profile.rows[question->method_ix];
    struct tv_profile_table table;
    const struct tv_relation_rows *group = &relations->groups[relation];
    if (!has_rows(group))
        return TV_OK;
    tv_profile_table_init(&table, asking, &question->scope, row->numbers.inclusive_ns);
    tv_table_column(&table.table, "Incl ms", TV_ALIGN_RIGHT);
    if (has_share(relation))
        tv_table_column(&table.table, "%", TV_ALIGN_RIGHT);
    tv_table_column(&table.table, asking->index->info->is_sampled ? "Runs/of" : "Calls/of",
                    TV_ALIGN_RIGHT);
    tv_table_spare_below(&table.table, TV_CALLS_NAME_WIDTH);
    if (has_share(relation))
        tv_profile_table_bar_column(&table);
    tv_table_column(&table.table, group_titles[relation], TV_ALIGN_LEFT);
    /* What the method did itself stands first among the callees: the rows then add up to 100 %. */
    if (relation == TV_RELATION_CALLEES) {
        int64_t self_ns = tv_profile_table_shown(&table, relations->self.exclusive_ns);
        tv_profile_table_ms(&table, self_ns);
        tv_table_percent(&table.table, self_ns, table.total_ns);
        tv_table_end_cell(&table.table);
        tv_profile_table_bar(&table, self_ns);
        tv_table_name(&table.table, TV_STR("(self)"));
    }
    add_group(&table, group, relation);
    if (group->left_out_count)
        add_left_out(&table, group, relation);
    tv_text_add(out, "\n");
    enum tv_code code = tv_profile_table_write(&table, out, err);
    tv_profile_table_release(&table);
    return code;
}

/* The method itself goes first, as the table of one row: its numbers are what the groups below it
 * divide. */
static enum tv_code write_method(const struct tv_asking *asking,
                                 const struct tv_callers_question *question,
                                 const struct tv_profile *profile, struct tv_text *out,
                                 struct tv_error *err)
{
    const struct tv_method_row *row = &profile->rows[question->method_ix];
    struct tv_profile_table table;
    tv_profile_table_init(&table, asking, &question->scope, profile->total_ns);
    tv_profile_table_time_columns(&table);
    tv_profile_table_calls_column(&table);
    tv_table_column(&table.table, "Method", TV_ALIGN_LEFT);
    tv_profile_table_times(&table, &row->numbers);
    tv_profile_table_calls(&table, row);
    tv_profile_table_method(&table, question->method_ix);
    tv_profile_table_caption(&table, out);
    enum tv_code code = tv_profile_table_write(&table, out, err);
    tv_profile_table_release(&table);
    return code;
}

/* The shares of the method's own row are of all root calls, those of its callers and callees of the
 * method alone. */
static void write_whole(const struct tv_callers_question *question,
                        const struct tv_callers *callers, struct tv_text *out)
{
    const struct tv_relation_rows *groups = callers->relations.groups;
    const struct tv_method_row *row = &callers->profile.rows[question->method_ix];
    if (!has_rows(&groups[TV_RELATION_CALLERS]) && !has_rows(&groups[TV_RELATION_CALLEES]))
        return;
    const int64_t whole_ns = (int64_t)tv_inclusive_on(&row->numbers, question->scope.measure);
    if (whole_ns <= 0) {
        tv_text_add(out, "\nNo percentages below, since the method's inclusive time is 0\n");
        return;
    }
    tv_text_add(out, "\n100 %% below is the method's inclusive time, ");
    tv_text_add_ms(out, whole_ns);
    tv_text_add(out, " ms\n");
}

/* The four groups come in the order of enum tv_relation: callers before callees, and the recursive
 * ones apart. */
static enum tv_code write_text(const struct tv_asking *asking, const void *values,
                               struct tv_text *out, struct tv_error *err)
{
    const struct tv_callers_question *question =
        &((const struct callers_command *)values)->question;
    struct tv_callers callers;
    tv_callers_init(&callers, asking->cli->alloc);
    enum tv_code code =
        tv_callers_compute(&callers, asking->index, question, asking->cli->pool, err);
    if (code == TV_OK)
        code = write_method(asking, question, &callers.profile, out, err);
    if (code == TV_OK)
        write_whole(question, &callers, out);
    for (unsigned i = 0; code == TV_OK && i < TV_RELATION_COUNT; i++)
        code = write_group(asking, question, &callers, (enum tv_relation)i, out, err);
    tv_callers_release(&callers);
    return code;
}

static enum tv_code write_json(const struct tv_api *api, const void *command,
                               struct tv_buffer *body, struct tv_error *err)
{
    return tv_answer_callers(api, &((const struct callers_command *)command)->question, body, err);
}

/* The method comes first: nothing else is of interest where it cannot be found. */
static enum tv_code fill(struct tv_asking *asking, void *values, struct tv_error *err)
{
    struct callers_command *command = values;
    struct tv_callers_question *question = &command->question;
    TV_TRY(tv_question_method(asking, command->method, &question->method_ix, err));
    TV_TRY(tv_question_scope(asking, &command->options->shared, &question->scope, err));
    TV_TRY(tv_question_idle(asking, &command->options->shared, &question->scope, err));
    question->cut = command->options->order.cut;
    tv_question_order(&command->options->order, TV_SORT_INCLUSIVE, question->scope.measure,
                      &question->sort);
    return TV_OK;
}

static const struct tv_question_plan plan = {fill, write_json, write_text};

static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    struct callers_command command = {.options = values, .method = arguments->of[1]};
    return tv_question_run(cli, &(struct tv_question_files){arguments->of, 1}, &plan, &command,
                           command.options->shared.json);
}

static const struct tv_option options[] = {TV_ORDER_OPTIONS(struct callers_options, "inclusive"),
                                           TV_SCOPE_OPTIONS(struct callers_options),
                                           TV_IDLE_OPTION(struct callers_options)};

const struct tv_verb tv_verb_callers = {
    .name = "callers",
    .summary = "who calls a method and what it calls",
    .arguments = "FILE METHOD",
    .argument_count = 2,
    .uses_index = true,
    .prints_tables = true,
    .names_methods = true,
    .options = TV_OPTIONS(options),
    .values_len = TV_VALUES_LEN(struct callers_options),
    .notes =
        "METHOD is a name (run, Main.run, com.example.Main#run(I)V), an id (0x...), a rank, or "
        "text or "
        "/expression/ that is in one name only.",
    .examples = {{"traceview callers app.trace String.charAt",
                  "who calls a method, by the end of its name"},
                 {"traceview callers --thread main app.trace java.util.Random.nextInt",
                  "the same on one thread, by its whole name"}},
    .run = run,
};
