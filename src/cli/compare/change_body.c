/*
 * What changed, as a part of a page; see cli/compare/change_body.h. Names are hostile text, and are
 * escaped by who writes each part.
 */
#include "cli/compare/change_body.h"

#include "base/memory/buffer.h"
#include "cli/compare/diff.h"
#include "cli/file/load.h"
#include "index/memory.h"
#include "os/memory/mapping.h"

/* The body while it is made. */
struct making {
    const struct tv_change_body *of;
    struct tv_out *out;
    enum tv_clock clock; /* that the comparison has chosen */
};

/* The tables of diff, of the part that the options say. */
static int put_tables(struct making *making)
{
    const struct tv_scope_options *scope = making->of->scope;
    const bool is_wall =
        scope->clock && tv_choice_position(tv_measure_words, scope->clock) == TV_MEASURE_WALL;
    const struct tv_diff_plan plan = {
        .opts = {.run_counts = {1, 1},
                 .has_clock = scope->clock != NULL,
                 .clock = is_wall ? TV_CLOCK_WALL : TV_CLOCK_CPU,
                 .least = TV_COMPARED_LEAST,
                 .most_rows = making->of->most_rows},
        .part = {.from = scope->from, .to = scope->to, .threads = scope->threads}};
    struct tv_error err = {.code = TV_OK};
    struct tv_diff diff;
    tv_diff_init(&diff, making->of->cli);
    int status = tv_diff_make_of(&diff, &plan, making->of->sides);
    diff.is_part |= making->of->is_part;
    if (status == TV_STATUS_FINE && tv_diff_markdown_body(&diff, making->out, &err) != TV_OK)
        status = tv_cli_fail(making->of->cli, NULL, &err);
    making->clock = diff.of.clock;
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

/* That nothing is gone is no failure here. */
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
    struct tv_asking *const *sides = making->of->sides;
    struct tv_error err = {.code = TV_OK};
    struct tv_flame_base base;
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

/* Makes a view of the old trace, which has the names of the new one where methods are matched. */
static enum tv_code match(const struct tv_change_body *body, struct tv_matched_index *matched,
                          struct tv_error *err)
{
    struct tv_hand_matches *matches = body->matches;
    TV_TRY(tv_hand_matches_look(matches, body->sides[TV_SIDE_NEW]->index, err));
    TV_TRY(tv_hand_matches_check(matches, TV_SIDE_NEW, err));
    TV_TRY(tv_matched_index_make(matched, matches, body->sides[TV_SIDE_OLD]->index, err));
    return tv_hand_matches_check(matches, TV_SIDE_OLD, err);
}

static int put_matched(struct making *making)
{
    struct tv_asking *old_side = making->of->sides[TV_SIDE_OLD];
    const struct tv_index *index = old_side->index;
    struct tv_error err = {.code = TV_OK};
    struct tv_matched_index matched;
    tv_matched_index_init(&matched, old_side->cli->alloc);
    int status = TV_STATUS_FAILED;
    if (match(making->of, &matched, &err) == TV_OK) {
        old_side->index = &matched.index;
        status = put_all(making);
        old_side->index = index;
    } else {
        status = tv_cli_fail(making->of->cli, NULL, &err);
    }
    tv_matched_index_release(&matched);
    return status;
}

int tv_change_body_put(const struct tv_change_body *body, struct tv_out *out)
{
    struct making making = {.of = body, .out = out};
    return body->matches && body->matches->count ? put_matched(&making) : put_all(&making);
}
