/* tree: the calling context tree from the roots down, or from each method up to its callers. */
#include "analysis/selection/name_pattern.h"
#include "analysis/tree/call_tree.h"
#include "base/alloc.h"
#include "base/error.h"
#include "cli/load.h"
#include "cli/profile_table.h"
#include "cli/question.h"
#include "cli/verb.h"

/* As many levels as the JSON of the api can hold. */
#define LEVEL_LIMIT 28u

struct tree_options {
    struct tv_view_options view;
    uint64_t depth;
    uint64_t count;
    const char *cut;
    bool inverted;
};

struct tree_asked {
    const struct tree_options *options;
    double cut; /* percent */
};

/* Siblings that are being printed. */
struct siblings {
    uint32_t next;
    uint32_t end;
    uint32_t more;
};

static enum tv_code ask(struct tv_question *question, void *values, struct tv_error *err)
{
    struct tree_asked *asked = values;
    const struct tree_options *options = asked->options;
    static const char *const known[] = {TV_VIEW_PARAMS, "depth", "inverted", "cut", "n", NULL};
    TV_TRY(tv_question_add_view(question, &options->view, err));
    TV_TRY(tv_question_add_u64(question, "depth", options->depth, err));
    TV_TRY(tv_question_add_u64(question, "n", options->count, err));
    TV_TRY(tv_question_add(question, "cut", tv_str_from(options->cut), err));
    if (options->inverted)
        TV_TRY(tv_question_add_u64(question, "inverted", 1, err));
    TV_TRY(tv_question_understand(question, known, err));
    TV_TRY(tv_params_decimal(&question->params, "cut", &asked->cut, err));
    if (asked->cut > 100)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "--cut is a percentage up to 100");
    return TV_OK;
}

static void add_node(struct tv_profile_table *table, const struct tv_call_tree_node *node,
                     unsigned indent)
{
    tv_profile_table_times(table, &node->numbers);
    tv_table_count(&table->table, node->numbers.calls);
    tv_profile_table_method(table, node->method, indent);
}

/* A row that only says how many were left out. */
static void add_more(struct tv_profile_table *table, uint32_t more, unsigned indent)
{
    for (unsigned i = 0; i < 5; i++)
        tv_table_end_cell(&table->table);
    tv_text_add(&table->table.cells, "%*s(%u more below the cut)", (int)indent, "", more);
    tv_table_end_cell(&table->table);
}

static bool add_nodes(struct tv_profile_table *table, const struct tv_call_tree *tree,
                      uint32_t levels)
{
    struct siblings stack[LEVEL_LIMIT + 1];
    size_t depth = 1;
    bool is_cut_deep = false;
    stack[0] = (struct siblings){tree->root_first, tree->root_first + tree->root_count, tree->more};
    while (depth) {
        struct siblings *at = &stack[depth - 1];
        unsigned indent = 2 * (unsigned)(depth - 1);
        if (at->next == at->end) {
            if (at->more)
                add_more(table, at->more, indent);
            depth--;
            continue;
        }
        const struct tv_call_tree_node *node = &tree->nodes[at->next++];
        add_node(table, node, indent);
        if (node->level + 1 < levels && node->has_children)
            stack[depth++] = (struct siblings){node->first_child,
                                               node->first_child + node->child_count, node->more};
        else
            is_cut_deep = is_cut_deep || node->has_children;
    }
    return is_cut_deep;
}

static enum tv_code write_tree(const struct tv_question *question,
                               const struct tree_options *options, const struct tv_sums *sums,
                               const struct tv_call_tree *tree, struct tv_text *out,
                               struct tv_error *err)
{
    struct tv_profile_table table;
    tv_profile_table_init(&table, question, sums->total_ns);
    tv_profile_table_time_columns(&table);
    tv_table_column(&table.table, tv_calls_header(question->index), TV_ALIGN_RIGHT);
    tv_table_column(&table.table, options->inverted ? "Method, below it its callers" : "Method",
                    TV_ALIGN_LEFT);
    bool is_cut_deep = add_nodes(&table, tree, (uint32_t)options->depth);
    tv_profile_table_caption(&table, out);
    enum tv_code code = tv_profile_table_write(&table, out, err);
    tv_profile_table_release(&table);
    if (is_cut_deep)
        tv_text_add(out, "\nand deeper calls: %s\n",
                    options->depth < LEVEL_LIMIT ? "--depth shows more levels"
                                                 : "the tree ends at 28 levels");
    return code;
}

static enum tv_code compute(const struct tv_question *question,
                            const struct tv_call_tree_opts *opts,
                            const struct tv_method_filter *filter, struct tv_sums *sums,
                            struct tv_call_tree *tree, struct tv_error *err)
{
    TV_TRY(tv_sums_compute_matching(sums, question->index, &question->view.selection,
                                    filter->matches, question->cli->pool, err));
    return tv_call_tree_compute(tree, sums, opts, err);
}

static enum tv_code write_text(const struct tv_question *question, const void *values,
                               struct tv_text *out, struct tv_error *err)
{
    const struct tree_asked *asked = values;
    const struct tree_options *options = asked->options;
    struct tv_method_filter filter;
    struct tv_sums sums;
    struct tv_call_tree tree;
    struct tv_call_tree_opts opts = {.direction = options->inverted ? TV_INVERTED : TV_TOP_DOWN,
                                     .levels = (uint32_t)options->depth,
                                     .measure = question->view.measure,
                                     .cut = asked->cut / 100,
                                     .node_limit = (size_t)options->count,
                                     .pool = question->cli->pool};
    tv_method_filter_init(&filter, question->cli->alloc);
    tv_sums_init(&sums, question->cli->alloc);
    tv_call_tree_init(&tree, question->cli->alloc);
    enum tv_code code = tv_method_filter_make(&filter, question->index, question->view.match,
                                              question->view.hide, err);
    opts.hidden = filter.hidden;
    if (code == TV_OK)
        code = compute(question, &opts, &filter, &sums, &tree, err);
    if (code == TV_OK)
        code = write_tree(question, options, &sums, &tree, out, err);
    tv_call_tree_release(&tree);
    tv_sums_release(&sums);
    tv_method_filter_release(&filter);
    return code;
}

static const struct tv_question_plan plan = {.route = "tree", .ask = ask, .write = write_text};

static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    struct tree_asked asked = {.options = values};
    if (!asked.options->depth)
        return tv_cli_misuse(cli, "--depth needs at least 1");
    return tv_question_run(cli, arguments->of[0], &plan, &asked, asked.options->view.json);
}

static const struct tv_option options[] = {
    {.name = "depth",
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct tree_options, depth),
     .argument = "LEVELS",
     .help = "how many levels, at most 28 (12)",
     .most = LEVEL_LIMIT},
    {.name = "cut",
     .kind = TV_OPTION_TEXT,
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
    TV_VIEW_OPTIONS(struct tree_options),
};

static const struct tree_options defaults = {.depth = 12, .cut = "1"};

const struct tv_verb tv_verb_tree = {
    .name = "tree",
    .summary = "the calling context tree with a cut-off",
    .arguments = "FILE",
    .argument_count = 1,
    .uses_index = true,
    .options = TV_OPTIONS(options),
    .defaults = &defaults,
    .values_len = sizeof(struct tree_options),
    .notes = "--match keeps the stacks that have a matching method somewhere.",
    .run = run,
};
