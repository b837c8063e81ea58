/*
 * Flame graphs: from stacks to a picture; see export/flame/flame.h.
 *
 * The stacks of a trace and folded stacks of another tool become the same tree (stack_tree.h). From
 * there on there is one way: turn the tree upside down where that is asked for, choose the frames
 * that are wide enough, write the picture. Whatever the picture leaves out is told in a note below
 * it.
 */
#include "export/flame/flame.h"

#include <stdio.h>

#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/numbers/shown_number.h"
#include "base/text/out.h"
#include "export/export_context.h"
#include "export/flame/flame_boxes.h"
#include "export/flame/flame_script.h"
#include "export/flame/stack_tree.h"
#include "export/flame/trace_stacks.h"

#define NOTES_MOST 4u

/* Limits that keep a picture small enough to open and to mail; each is an option of `traceview
 * flame`. */
struct tv_flame_look tv_flame_look_usual(void)
{
    return (struct tv_flame_look){.order = TV_FLAME_MERGED,
                                  .roots = TV_FLAME_ROOTS_BELOW,
                                  .fit = TV_FLAME_FIT_WINDOW,
                                  .palette = TV_PALETTE_HOT,
                                  .width = TV_FLAME_WIDTH,
                                  .least_pixels = 0.1,
                                  .min_width = TV_STR("0.1 px"),
                                  .box_limit = TV_FLAME_BOXES,
                                  .unit = TV_STR("ms"),
                                  .unit_of = 1000000};
}

/* A graph on its way to a picture. */
struct drawing {
    const struct tv_alloc *alloc;
    const struct tv_flame_look *look;
    struct tv_stack_tree tree;
    struct tv_stack_tree inverted;
    struct tv_flame_boxes boxes;
    struct tv_flame_base *base; /* NULL: the graph is of one side */
    struct tv_stack_tree gone;
    struct tv_flame_diff diff;
    char diff_notes[2][128];
    struct tv_buffer subtitle;
    struct tv_str notes[NOTES_MOST];
    char bad_lines[80];
    size_t note_count;
    uint64_t unit_of;
    bool is_sampled;
};

static void init(struct drawing *drawing, const struct tv_alloc *alloc,
                 const struct tv_flame_look *look)
{
    *drawing = (struct drawing){.alloc = alloc, .look = look, .unit_of = look->unit_of};
    tv_stack_tree_init(&drawing->tree, alloc);
    tv_stack_tree_init(&drawing->inverted, alloc);
    tv_stack_tree_init(&drawing->gone, alloc);
    tv_flame_diff_init(&drawing->diff, alloc);
    tv_flame_boxes_init(&drawing->boxes, alloc);
    tv_buffer_init(&drawing->subtitle, alloc);
}

static void release(struct drawing *drawing)
{
    tv_buffer_release(&drawing->subtitle);
    tv_flame_boxes_release(&drawing->boxes);
    tv_flame_diff_release(&drawing->diff);
    tv_stack_tree_release(&drawing->gone);
    tv_stack_tree_release(&drawing->inverted);
    tv_stack_tree_release(&drawing->tree);
}

static enum tv_code add_text(struct drawing *drawing, struct tv_str text, struct tv_error *err)
{
    return tv_buffer_append(&drawing->subtitle, text.at, text.len, err);
}

static void add_note(struct drawing *drawing, struct tv_str note)
{
    drawing->notes[drawing->note_count++] = note;
}

static struct tv_str title_of(const struct drawing *drawing)
{
    const struct tv_flame_look *look = drawing->look;
    if (look->title.len)
        return look->title;
    if (drawing->base)
        return drawing->base->diff.view == TV_FLAME_DIFF_GONE ? TV_STR("What is gone")
                                                              : TV_STR("What changed");
    if (look->order == TV_FLAME_IN_ORDER)
        return TV_STR("Flame Chart");
    return look->roots == TV_FLAME_ROOTS_ABOVE ? TV_STR("Icicle Graph") : TV_STR("Flame Graph");
}

/* "Not in the old trace: 3 boxes": nothing where there is none. */
static void note_frames(struct drawing *drawing, char room[128], const char *what, uint64_t count)
{
    if (!count)
        return;
    int len = snprintf(room, 128, "%s: %llu %s.", what, (unsigned long long)count,
                       count == 1 ? "box" : "boxes");
    add_note(drawing, (struct tv_str){room, (size_t)len});
}

/* Puts the tree that is drawn in place of *tree. */
static enum tv_code compare(struct drawing *drawing, struct tv_stack_tree **tree,
                            struct tv_error *err)
{
    struct tv_flame_diff *diff = &drawing->diff;
    const struct tv_flame_diff_opts *opts = &drawing->base->diff;
    TV_TRY(tv_flame_diff_make(diff, &drawing->base->tree, *tree, &drawing->gone, opts, tree, err));
    switch (opts->view) {
    case TV_FLAME_DIFF_NEW:
        note_frames(drawing, drawing->diff_notes[0],
                    drawing->look->is_part_of_page
                        ? "Not in this picture, since they are gone"
                        : "Not in this picture, since they are gone (--gone draws them)",
                    diff->gone_count);
        note_frames(drawing, drawing->diff_notes[1],
                    "Not in the old trace, and drawn with a broken line", diff->added_count);
        break;
    case TV_FLAME_DIFF_OLD:
        note_frames(drawing, drawing->diff_notes[0],
                    "Not in the new trace, and drawn with a broken line", diff->gone_count);
        note_frames(drawing, drawing->diff_notes[1],
                    "Not in this picture, since only the new trace has them", diff->added_count);
        break;
    case TV_FLAME_DIFF_GONE:
        add_note(drawing, TV_STR("What is blue is gone, and stands on what called it."));
        break;
    }
    return TV_OK;
}

/* `least` is the value of a frame that is just wide enough; it is passed to the turning too, so
 * that frames which could not be drawn are not even made. */
static enum tv_code draw(struct drawing *drawing, struct tv_out *out, struct tv_error *err)
{
    const struct tv_flame_look *look = drawing->look;
    struct tv_stack_tree *tree = &drawing->tree;
    if (drawing->base)
        TV_TRY(compare(drawing, &tree, err));
    const uint64_t least = tv_flame_least(tree->frames[TV_STACK_ROOT].value, look->least_pixels,
                                          tv_flame_box_width(look->width));
    if (look->order == TV_FLAME_INVERTED) {
        bool is_cut;
        TV_TRY(tv_stack_tree_invert(tree, least, &drawing->inverted, &is_cut, err));
        tree = &drawing->inverted;
        if (is_cut)
            add_note(drawing,
                     TV_STR("These stacks are deep: their outermost callers are cut off."));
    }
    TV_TRY(tv_stack_tree_place(tree, least, err));
    const struct tv_str script = look->is_part_of_page ? TV_STR("") : tv_flame_script();
    if (!script.len && !look->is_part_of_page)
        add_note(drawing, TV_STR("Without zoom and search: the program was built without node."));
    const struct tv_flame_boxes_opts opts = {.least = least, .limit = look->box_limit};
    TV_TRY(tv_flame_boxes_choose(&drawing->boxes, tree, &opts, err));
    const struct tv_flame_svg svg = {.tree = tree,
                                     .boxes = &drawing->boxes,
                                     .title = title_of(drawing),
                                     .subtitle = tv_buffer_view(&drawing->subtitle),
                                     .unit = look->unit,
                                     .unit_of = drawing->unit_of,
                                     .min_width = look->min_width,
                                     .notes = drawing->notes,
                                     .note_count = drawing->note_count,
                                     .is_sampled = drawing->is_sampled,
                                     .palette = look->palette,
                                     .diff = drawing->base ? &drawing->diff : NULL,
                                     .roots = look->roots,
                                     .fit = look->fit,
                                     .width = look->width,
                                     .script = script,
                                     .is_part_of_page = look->is_part_of_page};
    tv_flame_svg_write(&svg, out);
    return TV_OK;
}

static struct tv_str order_words(const struct tv_flame_look *look)
{
    return look->order == TV_FLAME_INVERTED ? TV_STR(", callers on top of the methods they call")
                                            : TV_STR("");
}

/* 12.345 ms */
static enum tv_code add_time(struct drawing *drawing, const char *before, uint64_t time_ns,
                             struct tv_error *err)
{
    char room[TV_SHOWN_MOST];
    TV_TRY(add_text(drawing, tv_str_from(before), err));
    TV_TRY(add_text(drawing, tv_shown_ms(room, (int64_t)time_ns), err));
    return add_text(drawing, TV_STR(" ms"), err);
}

/* Names the thread, where there is one, and counts them where there are several. */
static enum tv_code add_threads(struct drawing *drawing, const struct tv_export_context *context,
                                struct tv_error *err)
{
    uint32_t count = 0;
    uint32_t last = TV_NONE;
    char text[32];
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++) {
        uint32_t thread_ix = tv_export_context_thread(context, i);
        count += thread_ix != TV_NONE;
        last = thread_ix != TV_NONE ? thread_ix : last;
    }
    if (count == 1) {
        TV_TRY(add_text(drawing, TV_STR(", thread "), err));
        return add_text(drawing, context->names.threads[last], err);
    }
    int len = snprintf(text, sizeof(text), ", %u threads", count);
    return add_text(drawing, (struct tv_str){text, (size_t)len}, err);
}

/* Makes the line below the title: file, measure, threads, range, root method, order. */
static enum tv_code describe_trace(struct drawing *drawing, const struct tv_export_context *context,
                                   const struct tv_trace_flame *flame, struct tv_error *err)
{
    static const char *const measures[] = {[TV_MEASURE_WALL] = ": wall time",
                                           [TV_MEASURE_CPU] = ": CPU time",
                                           [TV_MEASURE_WAIT] = ": waits"};
    const struct tv_scope *scope = &flame->shared.scope;
    const struct tv_scope_part part = tv_export_part(context->opts);
    struct tv_buffer *text = &drawing->subtitle;
    if (flame->base) {
        TV_TRY(add_text(drawing, tv_buffer_view(&flame->base->file), err));
        TV_TRY(add_text(drawing, TV_STR(" to "), err));
    }
    TV_TRY(add_text(drawing, context->names.file, err));
    TV_TRY(add_text(drawing, tv_str_from(measures[scope->measure]), err));
    TV_TRY(add_threads(drawing, context, err));
    TV_TRY(add_text(drawing, TV_STR(", "), err));
    const size_t before = text->len;
    TV_TRY(tv_scope_word_part(&part, TV_SCOPE_ALL & ~TV_SCOPE_THREADS, text, err));
    if (text->len == before)
        text->len -= 2;
    if (flame->root) {
        const struct tv_export_method *method = &context->names.methods[*flame->root];
        TV_TRY(add_text(drawing, TV_STR(", from "), err));
        TV_TRY(add_text(drawing, method->name, err));
        TV_TRY(add_text(drawing, TV_STR(" on"), err));
    }
    if (flame->base)
        TV_TRY(add_text(drawing,
                        flame->base->diff.view == TV_FLAME_DIFF_NEW
                            ? TV_STR(", as wide as the new")
                            : TV_STR(", as wide as the old"),
                        err));
    if (context->result->changes[TV_EXPORT_WAITS_UNRECORDED]) {
        TV_TRY(add_time(drawing, ", ", context->result->changes[TV_EXPORT_WAITS_UNRECORDED], err));
        TV_TRY(add_text(drawing, TV_STR(" of that not recorded"), err));
    }
    return add_text(drawing, order_words(drawing->look), err);
}

/* The options of a flame graph begin with those of every export, so the same entry of the table of
 * formats serves both; the cast goes back to the longer struct. */
static enum tv_code write_flame(struct tv_export_context *context, struct tv_error *err)
{
    const struct tv_trace_flame *flame = (const struct tv_trace_flame *)(const void *)context->opts;
    const struct tv_trace_stacks_opts opts = {.is_in_order = flame->look.order == TV_FLAME_IN_ORDER,
                                              .is_by_thread = flame->is_by_thread,
                                              .width = tv_flame_box_width(flame->look.width),
                                              .least_width = flame->look.least_pixels,
                                              .is_stable = flame->base != NULL,
                                              .root = flame->root};
    struct tv_trace_stacks stacks;
    struct drawing drawing;
    init(&drawing, context->alloc, &flame->look);
    drawing.is_sampled = context->index->info->is_sampled;
    drawing.base = flame->base;
    tv_trace_stacks_init(&stacks, context, &opts);
    enum tv_code code = tv_trace_stacks_make(&stacks, &drawing.tree, err);
    if (code == TV_OK)
        code = describe_trace(&drawing, context, flame, err);
    if (code == TV_OK)
        code = draw(&drawing, &context->out, err);
    tv_trace_stacks_release(&stacks);
    release(&drawing);
    return code;
}

const struct tv_export tv_export_flame = {
    .name = "flame graph",
    .suffix = ".svg",
    .media_type = "image/svg+xml",
    .summary = "a flame graph: any browser",
    .is_text = true,
    .write = write_flame,
};

void tv_flame_base_init(struct tv_flame_base *base, const struct tv_alloc *alloc)
{
    *base = (struct tv_flame_base){.alloc = alloc, .diff = {.view = TV_FLAME_DIFF_NEW}};
    tv_arena_init(&base->names, alloc);
    tv_stack_tree_init(&base->tree, alloc);
    tv_buffer_init(&base->file, alloc);
}

void tv_flame_base_release(struct tv_flame_base *base)
{
    tv_buffer_release(&base->file);
    tv_alloc_release(base->alloc, &base->methods, base->method_count, sizeof(*base->methods));
    tv_stack_tree_release(&base->tree);
    tv_arena_release(&base->names);
}

/* Of methods that are written alike, the one with the lowest rank is taken. */
static enum tv_code keep_methods(struct tv_flame_base *base, const struct tv_trace_stacks *stacks,
                                 struct tv_error *err)
{
    const struct tv_index *index = stacks->context->index;
    TV_TRY(tv_alloc_new(base->alloc, &base->methods, base->tree.names.count, sizeof(*base->methods),
                        err));
    base->method_count = base->tree.names.count;
    for (size_t i = 0; i < base->method_count; i++)
        base->methods[i] = TV_NONE;
    for (uint32_t i = 0; i < index->method_count; i++) {
        const uint32_t name = stacks->method_names[i];
        if (name == TV_NONE)
            continue;
        uint32_t *method = &base->methods[name];
        if (*method == TV_NONE || index->methods[i].rank < index->methods[*method].rank)
            *method = i;
    }
    return TV_OK;
}

/* The texts of the tree go over to the base, so that the old trace can be let go. */
static enum tv_code write_base(struct tv_export_context *context, struct tv_error *err)
{
    const struct tv_trace_flame *flame = (const struct tv_trace_flame *)(const void *)context->opts;
    const struct tv_trace_stacks_opts opts = {
        .is_by_thread = flame->is_by_thread, .is_stable = true, .root = flame->root};
    const struct tv_str file = context->names.file;
    struct tv_trace_stacks stacks;
    tv_trace_stacks_init(&stacks, context, &opts);
    enum tv_code code = tv_trace_stacks_make(&stacks, &flame->base->tree, err);
    if (code == TV_OK)
        code = keep_methods(flame->base, &stacks, err);
    if (code == TV_OK)
        code = tv_buffer_append(&flame->base->file, file.at, file.len, err);
    flame->base->names = stacks.texts;
    tv_arena_init(&stacks.texts, context->alloc);
    tv_trace_stacks_release(&stacks);
    return code;
}

const struct tv_export tv_export_flame_base = {
    .name = "stacks",
    .suffix = "",
    .media_type = "",
    .summary = "stacks that are compared with",
    .write = write_base,
};

/* What was passed over in the file is said in the picture itself, because that is what people send
 * around. */
static enum tv_code describe_folded(struct drawing *drawing, const struct tv_folded_flame *flame,
                                    const struct tv_folded *found, struct tv_error *err)
{
    if (found->bad_lines) {
        int len = snprintf(drawing->bad_lines, sizeof(drawing->bad_lines),
                           "Ignored %llu line%s with invalid format.",
                           (unsigned long long)found->bad_lines, found->bad_lines == 1 ? "" : "s");
        add_note(drawing, (struct tv_str){drawing->bad_lines, (size_t)len});
    }
    if (found->is_comparison)
        add_note(drawing, TV_STR("Of the two numbers of each line, the second is drawn."));
    TV_TRY(add_text(drawing, flame->file, err));
    if (flame->root.len) {
        TV_TRY(add_text(drawing, TV_STR(", from "), err));
        TV_TRY(add_text(drawing, flame->root, err));
        TV_TRY(add_text(drawing, TV_STR(" on"), err));
    }
    return add_text(drawing, order_words(drawing->look), err);
}

/* Folded stacks have no trace behind them: values are what the lines say, decimals scaled to whole
 * numbers. */
enum tv_code tv_flame_of_folded(const struct tv_folded_flame *flame, const struct tv_alloc *alloc,
                                struct tv_sink sink, struct tv_folded *found, struct tv_error *err)
{
    const struct tv_folded_opts opts = {.is_in_order = flame->look.order == TV_FLAME_IN_ORDER,
                                        .root = flame->root};
    struct drawing drawing;
    struct tv_out out;
    init(&drawing, alloc, &flame->look);
    tv_out_init(&out, sink);
    enum tv_code code = tv_folded_read(flame->text, &opts, &drawing.tree, found, err);
    drawing.unit_of = found->has_decimals ? TV_FOLDED_SCALE : 1;
    if (code == TV_OK)
        code = describe_folded(&drawing, flame, found, err);
    if (code == TV_OK)
        code = draw(&drawing, &out, err);
    if (code == TV_OK)
        code = tv_out_finish(&out, err);
    release(&drawing);
    return code;
}
