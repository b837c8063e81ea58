/* top: the methods of a trace by the time that they took. */
#include "analysis/profile/profile.h"
#include "analysis/selection/name_pattern.h"
#include "base/alloc.h"
#include "base/error.h"
#include "cli/load.h"
#include "cli/profile_table.h"
#include "cli/question.h"
#include "cli/verb.h"

struct top_options {
    struct tv_view_options view;
    uint64_t count;
    const char *sort;
    bool ascending;
    bool per_call;
};

/* The rows while they are made. */
struct top_rows {
    struct tv_profile profile;
    uint32_t *methods;
    size_t count;
};

static const char *const sort_words[] = {"exclusive", "inclusive", "calls", "per-call",
                                         "name",      "rank",      NULL};

static enum tv_code ask(struct tv_question *question, void *asked, struct tv_error *err)
{
    const struct top_options *options = asked;
    static const char *const known[] = {TV_VIEW_PARAMS, "sort", "order", "n", "per_call", NULL};
    TV_TRY(tv_question_add_view(question, &options->view, err));
    TV_TRY(tv_question_add(question, "sort", tv_str_from(options->sort), err));
    if (options->ascending)
        TV_TRY(tv_question_add(question, "order", TV_STR("asc"), err));
    TV_TRY(tv_question_add_u64(question, "n", options->count, err));
    if (options->per_call)
        TV_TRY(tv_question_add_u64(question, "per_call", 1, err));
    return tv_question_understand(question, known, err);
}

static struct tv_profile_sort sort_of(const struct tv_question *question,
                                      const struct top_options *options)
{
    struct tv_profile_sort sort = {.measure = question->view.measure};
    unsigned key = 0;
    while (sort_words[key + 1] && sort_words[key] != options->sort)
        key++;
    sort.key = (enum tv_sort_key)key;
    bool is_up = sort.key == TV_SORT_NAME || sort.key == TV_SORT_RANK || options->ascending;
    sort.order = is_up ? TV_ASCENDING : TV_DESCENDING;
    return sort;
}

static enum tv_code choose_methods(const struct tv_question *question, struct top_rows *rows,
                                   struct tv_error *err)
{
    const struct tv_index *index = question->index;
    struct tv_method_filter filter;
    tv_method_filter_init(&filter, question->cli->alloc);
    enum tv_code code =
        tv_method_filter_make(&filter, index, question->view.match, question->view.hide, err);
    for (uint32_t i = 0; code == TV_OK && i < index->method_count; i++) {
        if (tv_profile_has(&rows->profile, i) && tv_method_filter_shows(&filter, i))
            rows->methods[rows->count++] = i;
    }
    tv_method_filter_release(&filter);
    return code;
}

static void add_columns(struct tv_profile_table *table, const struct tv_index *index)
{
    const uint32_t *has = index->info->has_clock;
    tv_profile_table_time_columns(table);
    if (table->question->view.measure == TV_MEASURE_CPU && has[TV_CLOCK_WALL])
        tv_table_column(&table->table, "Incl wall ms", TV_ALIGN_RIGHT);
    tv_table_column(&table->table, tv_calls_header(index), TV_ALIGN_RIGHT);
    tv_table_column(&table->table, "Method", TV_ALIGN_LEFT);
}

static void add_row(struct tv_profile_table *table, const struct tv_index *index,
                    const struct top_rows *rows, uint32_t method_ix)
{
    const struct tv_method_row *row = &rows->profile.rows[method_ix];
    const uint32_t *has = index->info->has_clock;
    tv_profile_table_times(table, &row->numbers);
    if (table->question->view.measure == TV_MEASURE_CPU && has[TV_CLOCK_WALL])
        tv_table_ms(&table->table, (int64_t)row->numbers.inclusive_ns[TV_CLOCK_WALL]);
    tv_text_add_count(&table->table.cells, row->numbers.calls);
    if (row->recursive_calls) {
        tv_text_add(&table->table.cells, "+");
        tv_text_add_count(&table->table.cells, row->recursive_calls);
    }
    tv_table_end_cell(&table->table);
    tv_profile_table_method(table, method_ix, 0);
}

static enum tv_code write_rows(const struct tv_question *question, const struct top_rows *rows,
                               size_t shown, struct tv_text *out, struct tv_error *err)
{
    struct tv_profile_table table;
    tv_profile_table_init(&table, question, rows->profile.total_ns);
    add_columns(&table, question->index);
    for (size_t i = 0; i < shown; i++)
        add_row(&table, question->index, rows, rows->methods[i]);
    tv_profile_table_caption(&table, out);
    enum tv_code code = TV_OK;
    if (shown)
        code = tv_profile_table_write(&table, out, err);
    else
        tv_text_add(out, "no calls\n");
    tv_profile_table_release(&table);
    if (shown < rows->count) {
        tv_text_add(out, "\nand ");
        tv_text_add_count(out, rows->count - shown);
        tv_text_add(out, " more: -n 0 shows all\n");
    }
    return code;
}

static enum tv_code make_rows(const struct tv_question *question, const struct top_options *options,
                              struct top_rows *rows, struct tv_error *err)
{
    struct tv_profile_sort sort = sort_of(question, options);
    TV_TRY(tv_alloc_new(question->cli->alloc, &rows->methods, question->index->method_count,
                        sizeof(*rows->methods), err));
    TV_TRY(tv_profile_compute(&rows->profile, question->index, &question->view.selection,
                              question->cli->pool, err));
    TV_TRY(choose_methods(question, rows, err));
    return tv_profile_order(&rows->profile, rows->methods, rows->count, &sort, err);
}

static enum tv_code write_text(const struct tv_question *question, const void *asked,
                               struct tv_text *out, struct tv_error *err)
{
    const struct top_options *options = asked;
    struct top_rows rows = {.methods = NULL};
    tv_profile_init(&rows.profile, question->cli->alloc);
    enum tv_code code = make_rows(question, options, &rows, err);
    size_t shown = rows.count;
    if (options->count && options->count < shown)
        shown = (size_t)options->count;
    if (code == TV_OK)
        code = write_rows(question, &rows, shown, out, err);
    tv_alloc_free(question->cli->alloc, rows.methods, question->index->method_count,
                  sizeof(*rows.methods));
    tv_profile_release(&rows.profile);
    return code;
}

static const struct tv_question_plan plan = {.route = "top", .ask = ask, .write = write_text};

static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    struct top_options asked = *(const struct top_options *)values;
    return tv_question_run(cli, arguments->of[0], &plan, &asked, asked.view.json);
}

static const struct tv_option options[] = {
    {.letter = 'n',
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct top_options, count),
     .argument = "COUNT",
     .help = "how many rows; 0 is all (20)",
     .most = UINT32_MAX},
    {.name = "sort",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct top_options, sort),
     .argument = "KEY",
     .help = "exclusive, inclusive, calls, per-call, name or rank (exclusive)",
     .choices = sort_words},
    {.name = "ascending",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct top_options, ascending),
     .help = "smallest first"},
    TV_VIEW_OPTIONS(struct top_options),
    {.name = "per-call",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct top_options, per_call),
     .help = "with --json: least, median, 95th percentile and most of a call"},
};

static const struct top_options defaults = {.count = 20, .sort = "exclusive"};

const struct tv_verb tv_verb_top = {
    .name = "top",
    .summary = "methods by the time that they took",
    .arguments = "FILE",
    .argument_count = 1,
    .uses_index = true,
    .options = TV_OPTIONS(options),
    .defaults = &defaults,
    .values_len = sizeof(struct top_options),
    .notes = "Inclusive time counts outermost calls only; calls are shown as outermost+recursive.",
    .run = run,
};
