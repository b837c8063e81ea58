/*
 * The graph; see export/report/dot.h. Methods are found breadth first from the root, so that a
 * bound leaves out the deepest; dmtracedump recursed, and a deep trace ended it. A node is a box:
 * in its "record" shapes the name "<init>" is an instruction.
 */
#include "export/report/dot.h"

#include "base/text/out.h"
#include "base/text/utf8.h"
#include "base/units.h"

/* The most bytes of a name in a node. */
#define NAME_SHOWN 200u

struct dot {
    const struct tv_report *report;
    enum tv_clock clock;
    unsigned percent;
    enum tv_dot_numbers numbers;
    uint8_t *is_found; /* by row */
    uint32_t found[TV_DOT_NODES];
    size_t found_count;
    size_t edge_count;
    bool has_more; /* something was left out */
    struct tv_out out;
};

/* Whether an edge to the callee is drawn: whole percents are compared, as dmtracedump does. */
static bool is_drawn(const struct dot *dot, const struct tv_report_relative *callee)
{
    uint64_t caller_ns = dot->report->rows[callee->of].inclusive_ns[dot->clock];
    uint64_t callee_ns = dot->report->rows[callee->other].inclusive_ns[dot->clock];
    return !callee->is_recursive && caller_ns &&
           (double)callee_ns / (double)caller_ns * 100.0 >= dot->percent;
}

/* A name between quotes. */
static void put_name(struct dot *dot, struct tv_str name)
{
    struct tv_str rest = {name.at, name.len < NAME_SHOWN ? name.len : NAME_SHOWN};
    for (size_t at = 0; at < rest.len;) {
        char byte = rest.at[at];
        if (byte == '"' || byte == '\\') {
            tv_out_text(&dot->out, byte == '"' ? TV_STR("\\\"") : TV_STR("\\\\"));
            at++;
            continue;
        }
        size_t first = at;
        uint32_t character = tv_utf8_next(rest, &at);
        if (tv_utf8_needs_escape(character) || character == '\n' || character == '\t')
            tv_out_add(&dot->out, "?");
        else
            tv_out_shown(&dot->out, (struct tv_str){rest.at + first, at - first}, at - first);
    }
    if (rest.len < name.len)
        tv_out_text(&dot->out, TV_STR("..."));
}

/* Digits of a nanosecond in milliseconds. */
#define MS_PLACES 6u

static void put_numbers_with_units(struct dot *dot, const struct tv_report_row *row)
{
    tv_out_text(&dot->out, TV_STR("\\n"));
    tv_out_fraction(&dot->out, row->inclusive_ns[dot->clock], MS_PLACES);
    if (!row->calls) { /* the top level, which is no method */
        tv_out_text(&dot->out, dot->clock == TV_CLOCK_CPU ? TV_STR(" ms CPU") : TV_STR(" ms wall"));
        return;
    }
    tv_out_text(&dot->out, TV_STR(" ms, "));
    tv_out_fraction(&dot->out, row->exclusive_ns[dot->clock], MS_PLACES);
    tv_out_text(&dot->out, TV_STR(" ms exclusive, "));
    tv_out_count(&dot->out, row->calls);
    tv_out_text(&dot->out, row->calls == 1 ? TV_STR(" call") : TV_STR(" calls"));
}

static void put_numbers(struct dot *dot, const struct tv_report_row *row)
{
    if (dot->numbers == TV_DOT_WITH_UNITS)
        put_numbers_with_units(dot, row);
    else
        tv_out_add(&dot->out, " (%llu, %llu, %llu)",
                   (unsigned long long)(row->inclusive_ns[dot->clock] / TV_NS_PER_MS),
                   (unsigned long long)(row->exclusive_ns[dot->clock] / TV_NS_PER_MS),
                   (unsigned long long)row->calls);
}

static void put_node(struct dot *dot, const struct tv_report_row *row)
{
    tv_out_add(&dot->out, "node%u[label = \"[%u] ", row->rank, row->rank);
    put_name(dot, row->method->class_name);
    if (row->method->class_name.len && row->method->name.len)
        tv_out_text(&dot->out, TV_STR("."));
    put_name(dot, row->method->name);
    put_numbers(dot, row);
    tv_out_text(&dot->out, TV_STR("\"]\n"));
}

/* Methods are found in the order in which they are reached, and written when they are found. The
 * limit keeps the graph small enough to be laid out. */
static void find(struct dot *dot, uint32_t row)
{
    if (dot->is_found[row])
        return;
    if (dot->found_count == TV_DOT_NODES) {
        dot->has_more = true;
        return;
    }
    dot->is_found[row] = 1;
    dot->found[dot->found_count++] = row;
    put_node(dot, &dot->report->rows[row]);
}

/* Finds and prints the nodes. */
static void put_nodes(struct dot *dot)
{
    const struct tv_report_relatives *callees = &dot->report->callees;
    find(dot, dot->report->row_count - 1);
    for (size_t i = 0; i < dot->found_count; i++) {
        uint32_t row = dot->found[i];
        for (size_t k = callees->first[row]; k < callees->first[row + 1]; k++) {
            if (is_drawn(dot, &callees->of[k]))
                find(dot, callees->of[k].other);
        }
    }
}

/* An edge whose other end was left out would make Graphviz draw a bare node for it. */
static void put_edge(struct dot *dot, const struct tv_report_relative *callee)
{
    const struct tv_report_row *rows = dot->report->rows;
    if (dot->edge_count == TV_DOT_EDGES || !dot->is_found[callee->other]) {
        dot->has_more = true;
        return;
    }
    dot->edge_count++;
    tv_out_add(&dot->out, "node%u -> node%u\n", rows[callee->of].rank, rows[callee->other].rank);
}

static void put_edges(struct dot *dot)
{
    const struct tv_report_relatives *callees = &dot->report->callees;
    for (size_t i = 0; i < dot->found_count; i++) {
        uint32_t row = dot->found[i];
        for (size_t k = callees->first[row]; k < callees->first[row + 1]; k++) {
            if (is_drawn(dot, &callees->of[k]))
                put_edge(dot, &callees->of[k]);
        }
    }
}

/* The label says that something is missing, because the picture is what people pass on. */
static void put_graph(struct dot *dot)
{
    tv_out_text(&dot->out, TV_STR("digraph g {\nnode [shape = box,height=.1];\n"));
    put_nodes(dot);
    put_edges(dot);
    if (dot->has_more)
        tv_out_text(&dot->out,
                    TV_STR("label = \"Only the methods nearest to the root are drawn.\"\n"));
    tv_out_text(&dot->out, TV_STR("}\n"));
}

enum tv_code tv_dot_write(const struct tv_report *report, unsigned percent,
                          enum tv_dot_numbers numbers, struct tv_sink sink, struct tv_error *err)
{
    struct dot dot = {
        .report = report, .clock = report->opts.clock, .percent = percent, .numbers = numbers};
    TV_TRY(tv_alloc_new(report->alloc, &dot.is_found, report->row_count, 1, err));
    tv_out_init(&dot.out, sink);
    put_graph(&dot);
    tv_alloc_release(report->alloc, &dot.is_found, report->row_count, 1);
    return tv_out_finish(&dot.out, err);
}
