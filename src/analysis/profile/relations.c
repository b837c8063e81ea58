/*
 * Callers and callees from nodes; see analysis/profile/relations.h.
 *
 * Each node is one edge, from its parent's method to its own. A node counts when one of the two is
 * the method asked about; a recursive call of the method to itself counts on both sides.
 */
#include "analysis/profile/relations.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/memory/map.h"
#include "base/memory/sort.h"

/* The four tables while rows are added; maps tell in which row a method stands. */
struct relation_builder {
    struct tv_relations *relations;
    const struct tv_sums *sums;
    uint32_t method;
    struct tv_map row_of_method[TV_RELATION_COUNT];
};

const char *tv_relation_name(enum tv_relation relation)
{
    static const char *const names[TV_RELATION_COUNT] = {
        [TV_RELATION_CALLERS] = "callers",
        [TV_RELATION_CALLEES] = "callees",
        [TV_RELATION_CALLERS_RECURSIVE] = "callers_recursive",
        [TV_RELATION_CALLEES_RECURSIVE] = "callees_recursive",
    };
    return names[relation];
}

void tv_relations_init(struct tv_relations *relations, const struct tv_alloc *alloc)
{
    *relations = (struct tv_relations){.alloc = alloc};
}

void tv_relations_release(struct tv_relations *relations)
{
    for (unsigned i = 0; i < TV_RELATION_COUNT; i++)
        tv_alloc_release(relations->alloc, &relations->groups[i].rows, relations->groups[i].cap,
                         sizeof(struct tv_relation_row));
    tv_relations_init(relations, relations->alloc);
}

/* Adds the numbers of an edge to the other method's row in one of the tables. */
static enum tv_code add_edge(struct relation_builder *builder, enum tv_relation relation,
                             uint32_t method, const struct tv_numbers *numbers,
                             struct tv_error *err)
{
    struct tv_relation_rows *table = &builder->relations->groups[relation];
    TV_TRY(tv_alloc_grow(builder->relations->alloc, &table->rows, &table->cap, table->count + 1,
                         sizeof(*table->rows), err));
    uint32_t *at;
    TV_TRY(
        tv_map_slot(&builder->row_of_method[relation], method, (uint32_t)table->count, &at, err));
    if (*at == table->count)
        table->rows[table->count++] = (struct tv_relation_row){.method = method};
    tv_numbers_add(&table->rows[*at].numbers, numbers);
    return TV_OK;
}

/* Adds a node as a call of the method, as a call by the method, or both. */
static enum tv_code add_node(struct relation_builder *builder, uint32_t node, struct tv_error *err)
{
    const struct tv_sums *sums = builder->sums;
    uint32_t parent = sums->parent[node];
    uint32_t method = sums->method[node];
    bool is_ours = method == builder->method;
    bool is_called_by_ours = parent != TV_NONE && sums->method[parent] == builder->method;
    if ((!is_ours && !is_called_by_ours) || !tv_sums_is_touched(sums, node))
        return TV_OK;
    bool is_recursive = sums->flags[node] & TV_NODE_RECURSIVE;
    struct tv_numbers numbers = tv_sums_numbers(sums, node);
    if (is_ours && !is_recursive)
        tv_numbers_add(&builder->relations->self, &numbers);
    if (is_ours && parent != TV_NONE)
        TV_TRY(add_edge(builder, is_recursive ? TV_RELATION_CALLERS_RECURSIVE : TV_RELATION_CALLERS,
                        sums->method[parent], &numbers, err));
    if (!is_called_by_ours)
        return TV_OK;
    bool is_caller_recursive = sums->flags[parent] & TV_NODE_RECURSIVE;
    return add_edge(builder,
                    is_caller_recursive ? TV_RELATION_CALLEES_RECURSIVE : TV_RELATION_CALLEES,
                    method, &numbers, err);
}

/* Goes over the nodes of all selected threads: any of them may be an edge of the method. */
static enum tv_code add_nodes(struct relation_builder *builder, struct tv_error *err)
{
    const struct tv_sums *sums = builder->sums;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++)
            TV_TRY(add_node(builder, node, err));
    }
    return TV_OK;
}

/* What the sort of one table compares. */
struct row_ordering {
    const struct tv_relation_row *rows;
    const struct tv_index *index;
    const struct tv_profile_sort *sort;
};

static struct tv_sort_item item_of(const struct row_ordering *ordering, uint32_t row)
{
    const struct tv_relation_row *of = &ordering->rows[row];
    return (struct tv_sort_item){of->method, tv_numbers_value(&of->numbers, ordering->sort)};
}

static int compare_rows(const void *ctx, uint32_t a, uint32_t b)
{
    const struct row_ordering *ordering = ctx;
    return tv_sort_compare(ordering->index, ordering->sort, item_of(ordering, a),
                           item_of(ordering, b));
}

/* Takes the rows that the filter does not show, or that are below the cut, out of the table. */
static void leave_out(struct tv_relation_rows *table, const struct tv_profile *profile,
                      const struct tv_relations_question *question)
{
    const struct tv_method_filter *filter = question->filter;
    enum tv_measure measure = question->sort->measure;
    const uint64_t *whole_ns = profile->rows[question->method_ix].numbers.inclusive_ns;
    double least = question->cut * (double)tv_measure_of(whole_ns, measure);
    size_t shown = 0;
    for (size_t i = 0; i < table->count; i++) {
        int64_t time_ns = tv_measure_of(table->rows[i].numbers.inclusive_ns, measure);
        bool is_small = question->cut > 0 && (double)time_ns < least;
        if (!is_small && (!filter || tv_method_filter_shows(filter, table->rows[i].method))) {
            table->rows[shown++] = table->rows[i];
            continue;
        }
        tv_numbers_add(&table->left_out, &table->rows[i].numbers);
        table->left_out_count++;
    }
    table->count = shown;
}

/* Sets what shares are of, and sorts the rows of one table. */
static enum tv_code finish_group(struct tv_relations *relations, enum tv_relation relation,
                                 const struct tv_profile *profile,
                                 const struct tv_relations_question *question, struct tv_error *err)
{
    struct tv_relation_rows *table = &relations->groups[relation];
    bool is_caller = relation == TV_RELATION_CALLERS || relation == TV_RELATION_CALLERS_RECURSIVE;
    leave_out(table, profile, question);
    for (size_t i = 0; i < table->count; i++) {
        const struct tv_method_row *of =
            &profile->rows[is_caller ? question->method_ix : table->rows[i].method];
        table->rows[i].of_calls = of->numbers.calls + of->recursive_calls;
    }
    struct row_ordering ordering = {table->rows, profile->index, question->sort};
    return tv_sort_rows(relations->alloc, table->rows, table->count, sizeof(*table->rows),
                        compare_rows, &ordering, err);
}

/* Each of the four groups has a map from methods to rows, which is needed only while nodes are
 * added. */
enum tv_code tv_relations_compute(struct tv_relations *relations, const struct tv_sums *sums,
                                  const struct tv_profile *profile,
                                  const struct tv_relations_question *question,
                                  struct tv_error *err)
{
    struct relation_builder builder = {
        .relations = relations, .sums = sums, .method = question->method_ix};
    tv_relations_release(relations);
    for (unsigned i = 0; i < TV_RELATION_COUNT; i++)
        tv_map_init(&builder.row_of_method[i], relations->alloc);
    enum tv_code code = add_nodes(&builder, err);
    for (unsigned i = 0; code == TV_OK && i < TV_RELATION_COUNT; i++)
        code = finish_group(relations, (enum tv_relation)i, profile, question, err);
    for (unsigned i = 0; i < TV_RELATION_COUNT; i++)
        tv_map_release(&builder.row_of_method[i]);
    if (code != TV_OK)
        tv_relations_release(relations);
    return code;
}
