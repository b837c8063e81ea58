/* callers: who calls a method and what it calls, recursive calls apart. */
#include "analysis/profile/relations.h"
#include "analysis/selection/name_pattern.h"
#include "analysis/selection/names.h"
#include "base/error.h"
#include "cli/load.h"
#include "cli/profile_table.h"
#include "cli/question.h"
#include "cli/verb.h"

/* Names that are told when a method is not found by its whole name. */
#define SUGGESTION_LIMIT 5u

struct callers_options {
    struct tv_view_options view;
};

struct callers_asked {
    const struct callers_options *options;
    const char *method; /* as the user named it */
    uint32_t method_ix;
};

static const char *const group_titles[TV_RELATION_COUNT] = {
    [TV_RELATION_CALLERS] = "Callers",
    [TV_RELATION_CALLEES] = "Callees",
    [TV_RELATION_CALLERS_RECURSIVE] = "Callers while recursive",
    [TV_RELATION_CALLEES_RECURSIVE] = "Callees while recursive",
};

/* Methods with calls whose name has `text` in it, best rank first. */
struct candidates {
    uint32_t of[SUGGESTION_LIMIT];
    uint32_t count; /* all of them, also such as have no room */
};

static enum tv_code find_candidates(const struct tv_question *question, struct tv_str text,
                                    struct candidates *found, struct tv_error *err)
{
    const struct tv_index *index = question->index;
    struct tv_buffer name;
    enum tv_code code = TV_OK;
    tv_buffer_init(&name, question->cli->alloc);
    for (uint32_t rank = 0; code == TV_OK && rank < index->info->ranked_count; rank++) {
        uint32_t method_ix = index->method_of_rank[rank];
        code = tv_method_text(index, method_ix, &name, err);
        if (code != TV_OK || tv_str_find(tv_buffer_view(&name), text, TV_CASE_FOLD) == SIZE_MAX)
            continue;
        if (found->count < SUGGESTION_LIMIT)
            found->of[found->count] = method_ix;
        found->count++;
    }
    tv_buffer_release(&name);
    return code;
}

static enum tv_code refuse_many(struct tv_question *question, const char *method,
                                const struct candidates *found, struct tv_error *err)
{
    struct tv_buffer name;
    tv_buffer_init(&name, question->cli->alloc);
    enum tv_code code = TV_OK;
    for (uint32_t i = 0; code == TV_OK && i < found->count && i < SUGGESTION_LIMIT; i++) {
        code = tv_method_text(question->index, found->of[i], &name, err);
        tv_text_add_str(&question->hints, TV_STR("    "));
        tv_text_add_name(&question->hints, tv_buffer_view(&name));
        tv_text_add_str(&question->hints, TV_STR("\n"));
    }
    tv_buffer_release(&name);
    if (code != TV_OK)
        return code;
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                   "'%.80s' is in the names of %u methods: give a whole name, such as one of these",
                   method, found->count);
}

/* A rank, an id or a whole name is as the api takes it; else it is text in one name only. */
static enum tv_code find_method(struct tv_question *question, const char *method,
                                uint32_t *method_ix, struct tv_error *err)
{
    struct tv_params params = {.arena = &question->arena, .count = 1};
    struct candidates found = {.count = 0};
    params.of[0] = (struct tv_param){.name = TV_STR("method"), .value = tv_str_from(method)};
    enum tv_code code = tv_params_method(&params, "method", question->index, method_ix, err);
    if (code != TV_ERR_NOT_FOUND && code != TV_ERR_ARGUMENT)
        return code;
    TV_TRY(find_candidates(question, tv_str_from(method), &found, err));
    if (found.count == 0)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "no method with calls has '%.80s' in its name: see 'traceview top -n 0'",
                       method);
    if (found.count > 1)
        return refuse_many(question, method, &found, err);
    *method_ix = found.of[0];
    return TV_OK;
}

/* Recursive calls lie inside each other, so that a share of them says nothing. */
static bool has_share(enum tv_relation relation)
{
    return relation == TV_RELATION_CALLERS || relation == TV_RELATION_CALLEES;
}

static void add_group(struct tv_profile_table *table, const struct tv_relation_rows *group,
                      enum tv_relation relation)
{
    for (size_t i = 0; i < group->count; i++) {
        const struct tv_relation_row *row = &group->rows[i];
        int64_t time_ns = tv_measure_of(row->numbers.inclusive_ns, table->question->view.measure);
        tv_table_ms(&table->table, time_ns);
        if (has_share(relation))
            tv_table_percent(&table->table, time_ns, table->total_ns);
        tv_text_add_count(&table->table.cells, row->numbers.calls);
        tv_text_add(&table->table.cells, "/");
        tv_text_add_count(&table->table.cells, row->of_calls);
        tv_table_end_cell(&table->table);
        tv_profile_table_method(table, row->method, 0);
    }
}

/* One group as a table; its percentages are of the method's own inclusive time. */
static enum tv_code write_group(const struct tv_question *question, const struct tv_method_row *row,
                                const struct tv_relations *relations, enum tv_relation relation,
                                struct tv_text *out, struct tv_error *err)
{
    struct tv_profile_table table;
    if (!relations->groups[relation].count)
        return TV_OK;
    tv_profile_table_init(&table, question, row->numbers.inclusive_ns);
    tv_table_column(&table.table, "Incl ms", TV_ALIGN_RIGHT);
    if (has_share(relation))
        tv_table_column(&table.table, "%", TV_ALIGN_RIGHT);
    tv_table_column(&table.table, "Calls/of", TV_ALIGN_RIGHT);
    tv_table_column(&table.table, group_titles[relation], TV_ALIGN_LEFT);
    if (relation == TV_RELATION_CALLEES) {
        int64_t self_ns = tv_measure_of(relations->self.exclusive_ns, question->view.measure);
        tv_table_ms(&table.table, self_ns);
        tv_table_percent(&table.table, self_ns, table.total_ns);
        tv_table_end_cell(&table.table);
        tv_table_name(&table.table, TV_STR("(self)"));
    }
    add_group(&table, &relations->groups[relation], relation);
    tv_text_add(out, "\n");
    enum tv_code code = tv_profile_table_write(&table, out, err);
    tv_profile_table_release(&table);
    return code;
}

static enum tv_code write_method(const struct tv_question *question,
                                 const struct tv_profile *profile, uint32_t method_ix,
                                 struct tv_text *out, struct tv_error *err)
{
    const struct tv_method_row *row = &profile->rows[method_ix];
    struct tv_profile_table table;
    tv_profile_table_init(&table, question, profile->total_ns);
    tv_profile_table_time_columns(&table);
    tv_table_column(&table.table, tv_calls_header(question->index), TV_ALIGN_RIGHT);
    tv_table_column(&table.table, "Method", TV_ALIGN_LEFT);
    tv_profile_table_times(&table, &row->numbers);
    tv_text_add_count(&table.table.cells, row->numbers.calls);
    if (row->recursive_calls) {
        tv_text_add(&table.table.cells, "+");
        tv_text_add_count(&table.table.cells, row->recursive_calls);
    }
    tv_table_end_cell(&table.table);
    tv_profile_table_method(&table, method_ix, 0);
    tv_profile_table_caption(&table, out);
    enum tv_code code = tv_profile_table_write(&table, out, err);
    tv_profile_table_release(&table);
    return code;
}

static enum tv_code compute(const struct tv_question *question, uint32_t method_ix,
                            struct tv_sums *sums, struct tv_profile *profile,
                            struct tv_relations *relations, struct tv_error *err)
{
    TV_TRY(tv_sums_compute(sums, question->index, &question->view.selection, question->cli->pool,
                           err));
    TV_TRY(tv_profile_of_sums(profile, sums, err));
    const struct tv_profile_sort sort = {.key = TV_SORT_INCLUSIVE,
                                         .measure = question->view.measure};
    return tv_relations_compute(relations, sums, profile, method_ix, &sort, err);
}

static enum tv_code write_text(const struct tv_question *question, const void *values,
                               struct tv_text *out, struct tv_error *err)
{
    uint32_t method_ix = ((const struct callers_asked *)values)->method_ix;
    struct tv_sums sums;
    struct tv_profile profile;
    struct tv_relations relations;
    tv_sums_init(&sums, question->cli->alloc);
    tv_profile_init(&profile, question->cli->alloc);
    tv_relations_init(&relations, question->cli->alloc);
    enum tv_code code = compute(question, method_ix, &sums, &profile, &relations, err);
    if (code == TV_OK)
        code = write_method(question, &profile, method_ix, out, err);
    for (unsigned i = 0; code == TV_OK && i < TV_RELATION_COUNT; i++)
        code = write_group(question, &profile.rows[method_ix], &relations, (enum tv_relation)i, out,
                           err);
    tv_relations_release(&relations);
    tv_profile_release(&profile);
    tv_sums_release(&sums);
    return code;
}

static enum tv_code ask(struct tv_question *question, void *values, struct tv_error *err)
{
    static const char *const known[] = {TV_VIEW_PARAMS, "method", NULL};
    struct callers_asked *asked = values;
    TV_TRY(find_method(question, asked->method, &asked->method_ix, err));
    TV_TRY(tv_question_add_view(question, &asked->options->view, err));
    TV_TRY(tv_question_add_u64(question, "method", question->index->methods[asked->method_ix].rank,
                               err));
    return tv_question_understand(question, known, err);
}

static const struct tv_question_plan plan = {.route = "callers", .ask = ask, .write = write_text};

static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    struct callers_asked asked = {.options = values, .method = arguments->of[1]};
    return tv_question_run(cli, arguments->of[0], &plan, &asked, asked.options->view.json);
}

static const struct tv_option options[] = {TV_VIEW_OPTIONS(struct callers_options)};

const struct tv_verb tv_verb_callers = {
    .name = "callers",
    .summary = "who calls a method and what it calls",
    .arguments = "FILE METHOD",
    .argument_count = 2,
    .uses_index = true,
    .options = TV_OPTIONS(options),
    .values_len = sizeof(struct callers_options),
    .notes = "METHOD is a whole name (class.name signature, or class.name), an id (0x...), a rank, "
             "or text\n"
             "that is in one name only.",
    .run = run,
};
