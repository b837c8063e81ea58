/*
 * tree: the calling context tree from the roots down, or with --inverted from each method up to its
 * callers. A row is a node, indented by its level. Nodes below --cut have one row for all siblings
 * that are left out, which says how many.
 *
 * Rows come from analysis/tree by a walk that stops at the cut; here is only what a row looks like
 * and what is said about rows that were left out.
 */
#include "analysis/question/tree_question.h"
#include "api/answers.h"
#include "base/error.h"
#include "cli/answers/drill_down.h"
#include "cli/answers/profile_table.h"
#include "cli/answers/question.h"
#include "cli/verb.h"

struct tree_options {
    struct tv_scope_options shared;
    struct tv_order_options order;
    uint64_t depth; /* 0: all levels */
    uint64_t count;
    const char *root;
    const char *focus;
    bool inverted;
};

/* The question points at `root` and `focus`, which therefore stand beside it. */
struct tree_command {
    const struct tree_options *options;
    struct tv_tree_question question;
    uint32_t root; /* ordinals of methods that were named */
    uint32_t focus;
};

/* Depth 0 means "all" in text and as many levels as JSON may nest in JSON. */
static enum tv_code fill(struct tv_asking *asking, void *values, struct tv_error *err)
{
    struct tree_command *command = values;
    const struct tree_options *options = command->options;
    struct tv_tree_question *question = &command->question;
    question->opts =
        (struct tv_call_tree_opts){.direction = options->inverted ? TV_INVERTED : TV_TOP_DOWN,
                                   .levels = options->depth         ? (uint32_t)options->depth
                                             : options->shared.json ? TV_TREE_JSON_LEVELS
                                                                    : TV_TREE_ALL_LEVELS,
                                   .cut = options->order.cut,
                                   .row_limit = (size_t)options->count};
    if (options->root) {
        TV_TRY(tv_question_method(asking, options->root, &command->root, err));
        question->opts.root = &command->root;
    }
    if (options->focus) {
        TV_TRY(tv_question_method(asking, options->focus, &command->focus, err));
        question->focus = &command->focus;
    }
    TV_TRY(tv_question_scope(asking, &options->shared, &question->scope, err));
    TV_TRY(tv_question_idle(asking, &options->shared, &question->scope, err));
    tv_question_order(&options->order, TV_SORT_INCLUSIVE, question->scope.measure, &question->sort);
    return TV_OK;
}

static enum tv_code write_json(const struct tv_api *api, const void *command,
                               struct tv_buffer *body, struct tv_error *err)
{
    return tv_answer_tree(api, &((const struct tree_command *)command)->question, body, err);
}

/* The columns before the method. The times of a node of an inverted tree are those of the method at
 * its root when it was called along this path: how long it worked itself, and how long it took. */
static void add_columns(struct tv_profile_table *table, enum tv_call_tree_direction direction)
{
    table->table.is_tree = true;
    if (direction == TV_TOP_DOWN) {
        tv_profile_table_time_columns(table);
    } else {
        tv_table_column(&table->table, "Excl ms", TV_ALIGN_RIGHT);
        tv_table_column(&table->table, "%", TV_ALIGN_RIGHT);
        tv_table_column(&table->table, "Incl ms", TV_ALIGN_RIGHT);
        tv_table_spare_below(&table->table, TV_INCLUSIVE_NAME_WIDTH);
    }
    tv_profile_table_calls_column(table);
    tv_profile_table_bar_column(table);
    tv_table_column(&table->table,
                    direction == TV_INVERTED ? "Method, below it its callers" : "Method",
                    TV_ALIGN_LEFT);
}

/* The time that a node's bar is of: the one that the tree is sorted by, else the inclusive time. */
static int64_t barred_time(const struct tv_profile_table *table,
                           const struct tv_call_tree_node *node, enum tv_sort_key key)
{
    if (key == TV_SORT_METHOD_INCLUSIVE)
        return tv_profile_table_shown(table, node->method_inclusive_ns);
    if (key == TV_SORT_EXCLUSIVE)
        return tv_profile_table_exclusive(table, &node->numbers);
    return tv_profile_table_inclusive(table, &node->numbers);
}

/* An inverted tree has the time that a path took, and beside it the method's own inclusive time:
 * the path shows where it came from. */
static void add_node(struct tv_profile_table *table, const struct tv_call_tree_node *node,
                     const struct tv_tree_question *question)
{
    if (question->opts.direction == TV_TOP_DOWN) {
        tv_profile_table_times(table, &node->numbers);
    } else {
        tv_profile_table_time(table, node->numbers.inclusive_ns);
        tv_profile_table_ms(table, tv_profile_table_shown(table, node->method_inclusive_ns));
    }
    tv_table_count(&table->table, node->numbers.calls);
    tv_profile_table_bar(table, barred_time(table, node, question->sort.key));
    tv_profile_table_method(table, node->method);
    tv_table_level(&table->table, node->level);
}

/* Adds a row that only says how many siblings were left out; those that are dropped stand apart. */
static void add_more(struct tv_profile_table *table, const struct tv_tree_step *step,
                     const char *reason)
{
    const struct tv_terminal *terminal = &table->asking->cli->terminal;
    for (size_t i = 1; i < table->table.column_count; i++)
        tv_table_end_cell(&table->table);
    uint32_t others = step->more - step->dropped;
    tv_text_add(&table->table.cells, "%s(", tv_terminal_style(terminal, TV_STYLE_FAINT));
    if (others)
        tv_text_add(&table->table.cells, "%u more%s", others, reason);
    if (step->dropped)
        tv_text_add(&table->table.cells, "%s%u left out by --drop", others ? ", " : "",
                    step->dropped);
    tv_text_add(&table->table.cells, ")%s", tv_terminal_style(terminal, TV_STYLE_PLAIN));
    tv_table_end_cell(&table->table);
    tv_table_level(&table->table, step->level);
}

/* Adds a row for each node, and for what is left out; returns whether there is a row.
 * *is_cut_deep: some node has children below the last level. */
static bool add_nodes(struct tv_profile_table *table, const struct tv_call_tree *tree,
                      const struct tv_tree_question *question, bool *is_cut_deep)
{
    const char *reason = tree->is_limited ? "" : " below the cut";
    bool has_rows = false;
    struct tv_tree_walk walk;
    struct tv_tree_step step;
    *is_cut_deep = false;
    tv_tree_walk_begin(&walk, tree, tree->levels);
    while ((step = tv_tree_walk_next(&walk)).event != TV_TREE_END) {
        if (step.event == TV_TREE_NODE) {
            has_rows = true;
            add_node(table, step.node, question);
            *is_cut_deep = *is_cut_deep || (step.node->has_children && !step.is_opened);
        } else if (step.more) {
            has_rows = true;
            add_more(table, &step, reason);
        }
    }
    return has_rows;
}

/* Each limit that cut something says so, and which option lifts it. */
static enum tv_code write_tree(struct tv_profile_table *table, const struct tv_tree_answer *answer,
                               const struct tv_tree_question *question, struct tv_text *out,
                               struct tv_error *err)
{
    const struct tv_call_tree_opts *opts = &question->opts;
    const struct tv_call_tree *tree = &answer->tree;
    add_columns(table, opts->direction);
    bool is_cut_deep;
    bool has_rows = add_nodes(table, tree, question, &is_cut_deep);
    tv_profile_table_caption(table, out);
    /* The rows decide, not the cells of the table: without memory for cells it has none. */
    if (has_rows)
        TV_TRY(tv_profile_table_write(table, out, err));
    else
        tv_text_add(out, table->asking->index->info->is_sampled ? "no runs\n" : "no calls\n");
    if (tree->is_limited) {
        tv_text_add(out, "\nthe ");
        tv_text_add_count(out, opts->row_limit);
        tv_text_add(out, " largest nodes: -n 0 shows all\n");
    }
    const char *deeper = opts->direction == TV_INVERTED ? "more callers" : "deeper calls";
    if (is_cut_deep && tree->levels < opts->levels)
        tv_text_add(out, "\nand %s: these stacks are too deep for more than %u levels\n", deeper,
                    tree->levels);
    else if (is_cut_deep)
        tv_text_add(out, "\nand %s: --depth shows more levels, --depth 0 all\n", deeper);
    return TV_OK;
}

/* The rows are written into the table as the tree is walked; no second copy of the tree is made. */
static enum tv_code write_text(const struct tv_asking *asking, const void *values,
                               struct tv_text *out, struct tv_error *err)
{
    const struct tv_tree_question *question = &((const struct tree_command *)values)->question;
    struct tv_profile_table table;
    struct tv_tree_answer answer;
    tv_tree_answer_init(&answer, asking->cli->alloc);
    enum tv_code code =
        tv_tree_answer_compute(&answer, asking->index, question, asking->cli->pool, err);
    tv_profile_table_init(&table, asking, &question->scope, answer.total_ns);
    if (code == TV_OK)
        code = write_tree(&table, &answer, question, out, err);
    tv_profile_table_release(&table);
    tv_tree_answer_release(&answer);
    return code;
}

static const struct tv_question_plan plan = {fill, write_json, write_text};

/* Sorting by a method's own time has a meaning only where the same method stands on many paths. */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct tree_options *options = values;
    struct tree_command command = {.options = options};
    if (!options->inverted && options->order.key &&
        tv_choice_position(tv_inverted_sort_words, options->order.key) == TV_SORT_METHOD_INCLUSIVE)
        return tv_cli_misuse(cli, "tree: --sort method-inclusive goes with --inverted");
    if (options->shared.json && options->depth > TV_TREE_JSON_LEVELS)
        return tv_cli_misuse(cli, "tree: --depth takes up to %u with --json: --root goes on below",
                             TV_TREE_JSON_LEVELS);
    return tv_question_run(cli, &(struct tv_question_files){arguments->of, 1}, &plan, &command,
                           options->shared.json);
}

static const struct tv_option options[] = {
    {.name = "depth",
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct tree_options, depth),
     .argument = "LEVELS",
     .help = "how many levels; 0 is all (12)",
     .most = UINT32_MAX},
    {.name = "cut",
     .kind = TV_OPTION_SHARE,
     .field = offsetof(struct tree_options, order.cut),
     .argument = "PERCENT",
     .help = "the same as --percent-limit (1)"},
    {.letter = 'n',
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct tree_options, count),
     .argument = "COUNT",
     .help = "only the largest nodes, so many in all; 0 is all (1000)",
     .most = UINT32_MAX},
    {.name = "root",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct tree_options, root),
     .argument = "METHOD",
     .help = "the tree begins at the calls of this method",
     .group = TV_GROUP_PART},
    {.name = "focus",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct tree_options, focus),
     .argument = "METHOD",
     .help = "only the stacks that this method is in",
     .group = TV_GROUP_PART},
    {.name = "inverted",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct tree_options, inverted),
     .help = "methods by exclusive time, below each its callers"},
    TV_ORDER_OPTIONS_OF(struct tree_options, tv_inverted_sort_words,
                        "exclusive, inclusive, calls, per-call, name, rank, or with --inverted "
                        "method-inclusive (inclusive)"),
    TV_SCOPE_OPTIONS(struct tree_options),
    TV_IDLE_OPTION(struct tree_options),
};

static const struct tree_options defaults = {
    .depth = TV_TREE_LEVELS, .order = {.cut = 0.01}, .count = 1000};

const struct tv_verb tv_verb_tree = {
    .name = "tree",
    .summary = "the calling context tree with a cut-off",
    .arguments = "FILE",
    .argument_count = 1,
    .uses_index = true,
    .prints_tables = true,
    .names_methods = true,
    .options = TV_OPTIONS(options),
    .defaults = &defaults,
    .values_len = TV_VALUES_LEN(struct tree_options),
    .notes = "--match keeps the stacks that have a matching method somewhere.",
    .examples = {{"traceview tree --thread main --cut 5 app.trace",
                  "the large branches of the main thread"},
                 {"traceview tree --inverted --depth 3 app.trace",
                  "below each method who called it, and who called that"}},
    .run = run,
};
