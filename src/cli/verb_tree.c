/*
 * tree: the calling context tree from the roots down, or with --inverted from each method up to its
 * callers. A row is a node, indented by its level. Nodes below --cut have one row for all siblings
 * that are left out, which says how many.
 */
#include "analysis/question/tree_question.h"
#include "api/answers.h"
#include "base/error.h"
#include "cli/profile_table.h"
#include "cli/question.h"
#include "cli/verb.h"

/* The most levels that --depth takes. The api takes a few more. */
#define LEVEL_LIMIT 28u
_Static_assert(LEVEL_LIMIT <= TV_TREE_LEVEL_LIMIT, "a walk has room for all levels");

struct tree_options {
    struct tv_scope_options shared;
    uint64_t depth;
    uint64_t count;
    double cut;
    bool inverted;
};

struct tree_asked {
    const struct tree_options *options;
    struct tv_tree_question question;
};

/* Siblings stand by inclusive time, largest first; the table offers no other order. */
static enum tv_code fill(struct tv_asking *asking, void *values, struct tv_error *err)
{
    struct tree_asked *asked = values;
    const struct tree_options *options = asked->options;
    struct tv_tree_question *question = &asked->question;
    TV_TRY(tv_question_scope(asking, &options->shared, &question->scope, err));
    question->sort = (struct tv_profile_sort){
        .key = TV_SORT_INCLUSIVE, .measure = question->scope.measure, .order = TV_DESCENDING};
    question->opts =
        (struct tv_call_tree_opts){.direction = options->inverted ? TV_INVERTED : TV_TOP_DOWN,
                                   .levels = (uint32_t)options->depth,
                                   .cut = options->cut,
                                   .node_limit = (size_t)options->count};
    return TV_OK;
}

static enum tv_code write_json(const struct tv_api *api, const void *asked, struct tv_buffer *body,
                               struct tv_error *err)
{
    return tv_answer_tree(api, &((const struct tree_asked *)asked)->question, body, err);
}

static void add_node(struct tv_profile_table *table, const struct tv_call_tree_node *node,
                     uint32_t level)
{
    tv_profile_table_times(table, &node->numbers);
    tv_table_count(&table->table, node->numbers.calls);
    tv_profile_table_bar(table, tv_measure_of(node->numbers.inclusive_ns, table->scope->measure));
    tv_profile_table_method(table, node->method);
    tv_table_level(&table->table, level);
}

/* Adds a row that only says how many siblings were left out. */
static void add_more(struct tv_profile_table *table, uint32_t more, uint32_t level)
{
    for (size_t i = 1; i < table->table.column_count; i++)
        tv_table_end_cell(&table->table);
    tv_text_add(&table->table.cells, "(%u more below the cut)", more);
    tv_table_end_cell(&table->table);
    tv_table_level(&table->table, level);
}

/* Adds all nodes. True: nodes at the last level have callees that are not shown. */
static bool add_nodes(struct tv_profile_table *table, const struct tv_call_tree *tree,
                      uint32_t levels)
{
    bool is_cut_deep = false;
    struct tv_tree_walk walk;
    struct tv_tree_step step;
    tv_tree_walk_begin(&walk, tree, levels);
    while ((step = tv_tree_walk_next(&walk)).event != TV_TREE_END) {
        if (step.event == TV_TREE_NODE) {
            add_node(table, step.node, step.level);
            is_cut_deep = is_cut_deep || (step.node->has_children && !step.is_opened);
        } else if (step.more) {
            add_more(table, step.more, step.level);
        }
    }
    return is_cut_deep;
}

static enum tv_code write_tree(struct tv_profile_table *table, const struct tv_tree_answer *answer,
                               const struct tv_call_tree_opts *opts, struct tv_text *out,
                               struct tv_error *err)
{
    table->table.is_tree = true;
    tv_profile_table_time_columns(table);
    tv_profile_table_calls_column(table);
    tv_profile_table_bar_column(table);
    tv_table_column(&table->table,
                    opts->direction == TV_INVERTED ? "Method, below it its callers" : "Method",
                    TV_ALIGN_LEFT);
    bool is_cut_deep = add_nodes(table, &answer->tree, opts->levels);
    tv_profile_table_caption(table, out);
    TV_TRY(tv_profile_table_write(table, out, err));
    if (is_cut_deep)
        tv_text_add(out, "\nand deeper calls: %s\n",
                    opts->levels < LEVEL_LIMIT ? "--depth shows more levels"
                                               : "the tree ends at 28 levels");
    return TV_OK;
}

static enum tv_code write_text(const struct tv_asking *asking, const void *values,
                               struct tv_text *out, struct tv_error *err)
{
    const struct tv_tree_question *question = &((const struct tree_asked *)values)->question;
    struct tv_profile_table table;
    struct tv_tree_answer answer;
    tv_tree_answer_init(&answer, asking->cli->alloc);
    enum tv_code code =
        tv_tree_answer_compute(&answer, asking->index, question, asking->cli->pool, err);
    tv_profile_table_init(&table, asking, &question->scope, answer.total_ns);
    if (code == TV_OK)
        code = write_tree(&table, &answer, &question->opts, out, err);
    tv_profile_table_release(&table);
    tv_tree_answer_release(&answer);
    return code;
}

static const struct tv_question_plan plan = {fill, write_json, write_text};

static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct tree_options *options = values;
    struct tree_asked asked = {.options = options};
    if (!options->depth)
        return tv_cli_misuse(cli, "--depth needs at least 1");
    return tv_question_run(cli, arguments->of[0], &plan, &asked, options->shared.json);
}

static const struct tv_option options[] = {
    {.name = "depth",
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct tree_options, depth),
     .argument = "LEVELS",
     .help = "how many levels, at most 28 (12)",
     .most = LEVEL_LIMIT},
    {.name = "cut",
     .kind = TV_OPTION_SHARE,
     .field = offsetof(struct tree_options, cut),
     .argument = "PERCENT",
     .help = "leave out what is below this share of the total (1)"},
    {.letter = 'n',
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct tree_options, count),
     .argument = "COUNT",
     .help = "at most so many below one caller; 0 is all (0)",
     .most = UINT32_MAX},
    {.name = "inverted",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct tree_options, inverted),
     .help = "methods by exclusive time, below each its callers"},
    TV_SCOPE_OPTIONS(struct tree_options),
};

static const struct tree_options defaults = {.depth = 12, .cut = 0.01};

const struct tv_verb tv_verb_tree = {
    .name = "tree",
    .summary = "the calling context tree with a cut-off",
    .arguments = "FILE",
    .argument_count = 1,
    .uses_index = true,
    .prints_tables = true,
    .options = TV_OPTIONS(options),
    .defaults = &defaults,
    .values_len = sizeof(struct tree_options),
    .notes = "--match keeps the stacks that have a matching method somewhere.",
    .run = run,
};
