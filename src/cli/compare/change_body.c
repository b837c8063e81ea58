/*
 * What changed, as a part of a page; see cli/compare/change_body.h. Names are hostile text, and are
 * escaped by who writes each part.
 */
#include "cli/compare/change_body.h"

#include "base/memory/buffer.h"
#include "base/text/markup.h"
#include "cli/compare/diff.h"
#include "cli/file/load.h"
#include "index/memory.h"
#include "os/memory/mapping.h"

/* The body while it is made. */
struct making {
    const struct tv_change_body *of;
    struct tv_out *out;
    enum tv_clock clock; /* that the comparison has chosen */
    /* The most typical run of each side, which the pictures are of. */
    struct tv_asking *typical[TV_SIDE_COUNT];
};

static struct tv_asking *run_of(const struct tv_change_body *body, enum tv_side side, size_t run)
{
    return body->runs[(side == TV_SIDE_NEW ? body->counts[TV_SIDE_OLD] : 0) + run];
}

/* The tables of diff, of the part that the options say. */
static int put_tables(struct making *making)
{
    const struct tv_scope_options *scope = making->of->scope;
    const bool is_wall =
        scope->clock && tv_choice_position(tv_measure_words, scope->clock) == TV_MEASURE_WALL;
    const struct tv_diff_plan plan = {
        .opts = {.run_counts = {making->of->counts[TV_SIDE_OLD], making->of->counts[TV_SIDE_NEW]},
                 .has_clock = scope->clock != NULL,
                 .clock = is_wall ? TV_CLOCK_WALL : TV_CLOCK_CPU,
                 .least = TV_COMPARED_LEAST,
                 .most_rows = making->of->most_rows},
        .part = {.from = scope->from, .to = scope->to, .threads = scope->threads}};
    struct tv_error err = {.code = TV_OK};
    struct tv_diff diff;
    tv_diff_init(&diff, making->of->cli);
    int status = tv_diff_make_of(&diff, &plan, making->of->runs);
    diff.is_part |= making->of->is_part;
    if (status == TV_STATUS_FINE && tv_diff_markdown_body(&diff, making->out, &err) != TV_OK)
        status = tv_cli_fail(making->of->cli, NULL, &err);
    making->clock = diff.of.clock;
    for (unsigned side = 0; status == TV_STATUS_FINE && side < TV_SIDE_COUNT; side++)
        making->typical[side] = run_of(making->of, (enum tv_side)side,
                                       tv_comparison_typical(&diff.of, (enum tv_side)side));
    tv_diff_release(&diff);
    return status;
}

/* Draws one view of the new trace beside the old one's stacks. */
static enum tv_code put_picture(struct making *making, struct tv_asking *asking,
                                struct tv_trace_flame *flame, const char *heading,
                                struct tv_error *err)
{
    struct tv_export_result result;
    struct tv_buffer picture;
    tv_buffer_init(&picture, asking->cli->alloc);
    enum tv_code code =
        tv_export_run(&tv_export_flame, asking->index, &flame->shared, asking->cli->alloc,
                      asking->cli->pool, tv_buffer_sink(&picture), &result, err);
    if (code == TV_OK) {
        tv_out_text(making->out, TV_STR("<h2>"));
        tv_out_text(making->out, tv_str_from(heading));
        tv_out_text(making->out, TV_STR("</h2>\n<div class=\"wide\">\n"));
        tv_out_text(making->out, tv_buffer_view(&picture));
        tv_out_text(making->out, TV_STR("</div>\n"));
    }
    tv_buffer_release(&picture);
    return code;
}

/* Fills the question of a picture, on the clock that the tables have. */
static enum tv_code begin_flame(const struct making *making, struct tv_asking *asking,
                                struct tv_flame_base *base, struct tv_trace_flame *flame,
                                struct tv_error *err)
{
    struct tv_scope_options scope = *making->of->scope;
    scope.clock =
        tv_measure_words[making->clock == TV_CLOCK_WALL ? TV_MEASURE_WALL : TV_MEASURE_CPU];
    *flame = (struct tv_trace_flame){
        .shared = {.file = tv_file_label(asking->file)}, .look = making->of->look, .base = base};
    flame->look.is_part_of_page = true;
    return tv_question_scope(asking, &scope, &flame->shared.scope, err);
}

static enum tv_code take_old(const struct making *making, struct tv_asking *asking,
                             struct tv_flame_base *base, struct tv_error *err)
{
    struct tv_trace_flame flame;
    struct tv_export_result result;
    struct tv_buffer nothing;
    TV_TRY(begin_flame(making, asking, base, &flame, err));
    tv_buffer_init(&nothing, asking->cli->alloc);
    enum tv_code code =
        tv_export_run(&tv_export_flame_base, asking->index, &flame.shared, asking->cli->alloc,
                      asking->cli->pool, tv_buffer_sink(&nothing), &result, err);
    tv_buffer_release(&nothing);
    return code == TV_OK ? tv_mapping_check(asking->index->block, err) : code;
}

/* Which runs the pictures are of, where there are several of a side. */
static void name_typical(const struct making *making)
{
    const size_t *counts = making->of->counts;
    struct tv_out *out = making->out;
    if (counts[TV_SIDE_OLD] == 1 && counts[TV_SIDE_NEW] == 1)
        return;
    tv_out_text(out, TV_STR("<p>The pictures are of the most typical run of each side: <code>"));
    tv_markup_name(out, tv_file_label(making->typical[TV_SIDE_OLD]->file));
    tv_out_text(out, TV_STR("</code> and <code>"));
    tv_markup_name(out, tv_file_label(making->typical[TV_SIDE_NEW]->file));
    tv_out_text(out, TV_STR("</code>.</p>\n"));
}

/* Where no frame is gone the second picture is left out; that is no failure. */
static enum tv_code put_pictures(struct making *making, struct tv_asking *asking,
                                 struct tv_flame_base *base, struct tv_error *err)
{
    struct tv_trace_flame flame;
    struct tv_error why = {.code = TV_OK};
    TV_TRY(begin_flame(making, asking, base, &flame, err));
    base->diff = (struct tv_flame_diff_opts){.view = TV_FLAME_DIFF_NEW};
    TV_TRY(put_picture(making, asking, &flame, "Where the time went", err));
    base->diff = (struct tv_flame_diff_opts){.view = TV_FLAME_DIFF_GONE};
    enum tv_code code = put_picture(making, asking, &flame, "What is gone", &why);
    if (code == TV_ERR_NOT_FOUND)
        code = TV_OK;
    if (code != TV_OK) {
        *err = why;
        return code;
    }
    return tv_mapping_check(asking->index->block, err);
}

static const char too_much[] = "the page takes too much memory: take a shorter part";

static int tell(struct tv_asking *asking, enum tv_code code, struct tv_error *err)
{
    code = tv_memory_tell(&asking->limit, code, asking->index, too_much, err);
    return code == TV_OK ? TV_STATUS_FINE : tv_asking_fail(asking, err);
}

/* The names of the old stacks are in the memory of its asking, which stays until all is drawn. */
static int draw(struct making *making)
{
    struct tv_asking *const *sides = making->typical;
    struct tv_error err = {.code = TV_OK};
    struct tv_flame_base base;
    name_typical(making);
    tv_flame_base_init(&base, sides[TV_SIDE_OLD]->cli->alloc);
    int status = tell(sides[TV_SIDE_OLD], take_old(making, sides[TV_SIDE_OLD], &base, &err), &err);
    if (status == TV_STATUS_FINE)
        status =
            tell(sides[TV_SIDE_NEW], put_pictures(making, sides[TV_SIDE_NEW], &base, &err), &err);
    tv_flame_base_release(&base);
    return status;
}

static int put_all(struct making *making)
{
    int status = put_tables(making);
    return status == TV_STATUS_FINE ? draw(making) : status;
}

/* The old runs under the names of new ones, where methods are matched. */
struct views {
    const struct tv_change_body *body;
    struct tv_matched_index *of; /* by old run */
    const struct tv_index **own;
    size_t count; /* that stand in place of their runs */
};

static enum tv_code take_room(struct views *views, const struct tv_alloc *alloc,
                              struct tv_error *err)
{
    const size_t count = views->body->counts[TV_SIDE_OLD];
    TV_TRY(tv_alloc_new(alloc, &views->of, count, sizeof(*views->of), err));
    TV_TRY(tv_alloc_new(alloc, &views->own, count, sizeof(*views->own), err));
    for (size_t i = 0; i < count; i++)
        tv_matched_index_init(&views->of[i], alloc);
    return TV_OK;
}

/* Puts a view in place of each old run. A name needs one run of its side that has it. */
static enum tv_code match(struct views *views, struct tv_error *err)
{
    const struct tv_change_body *body = views->body;
    struct tv_hand_matches *matches = body->matches;
    for (size_t i = 0; i < body->counts[TV_SIDE_NEW]; i++)
        TV_TRY(tv_hand_matches_look(matches, run_of(body, TV_SIDE_NEW, i)->index, err));
    TV_TRY(tv_hand_matches_check(matches, TV_SIDE_NEW, err));
    for (size_t i = 0; i < body->counts[TV_SIDE_OLD]; i++) {
        struct tv_asking *run = run_of(body, TV_SIDE_OLD, i);
        TV_TRY(tv_matched_index_make(&views->of[i], matches, run->index, err));
        views->own[views->count++] = run->index;
        run->index = &views->of[i].index;
    }
    return tv_hand_matches_check(matches, TV_SIDE_OLD, err);
}

static void release_views(struct views *views, const struct tv_alloc *alloc)
{
    const size_t count = views->body->counts[TV_SIDE_OLD];
    for (size_t i = 0; i < views->count; i++)
        run_of(views->body, TV_SIDE_OLD, i)->index = views->own[i];
    for (size_t i = 0; views->of && i < count; i++)
        tv_matched_index_release(&views->of[i]);
    tv_alloc_release(alloc, &views->own, count, sizeof(*views->own));
    tv_alloc_release(alloc, &views->of, count, sizeof(*views->of));
}

static int put_matched(struct making *making)
{
    const struct tv_cli *cli = making->of->cli;
    struct views views = {.body = making->of};
    struct tv_error err = {.code = TV_OK};
    enum tv_code code = take_room(&views, cli->alloc, &err);
    if (code == TV_OK)
        code = match(&views, &err);
    int status = code == TV_OK ? put_all(making) : tv_cli_fail(cli, NULL, &err);
    release_views(&views, cli->alloc);
    return status;
}

int tv_change_body_put(const struct tv_change_body *body, struct tv_out *out)
{
    struct making making = {.of = body, .out = out};
    return body->matches && body->matches->count ? put_matched(&making) : put_all(&making);
}
