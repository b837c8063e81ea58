/*
 * A comparison as a page; see cli/compare/change_page.h. The recordings are loaded twice: to be
 * compared, which keeps numbers alone, and to be drawn. All is written into a buffer first, so that
 * a page is whole or not there. Names are hostile text, and are escaped by who writes each part.
 */
#include "cli/compare/change_page.h"

#include "analysis/profile/profile.h"
#include "base/text/markup.h"
#include "base/text/out.h"
#include "cli/compare/diff.h"
#include "cli/file/load.h"
#include "cli/file/output.h"
#include "export/flame/flame.h"
#include "index/memory.h"
#include "os/memory/mapping.h"

/* Rows of each list; five stand open, and the others are folded. */
#define ROWS 100u

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<style>\n"
    ":root{color-scheme:light dark}\n"
    "body{font:14px system-ui,sans-serif;margin:1.5em;max-width:1240px}\n"
    "table{border-collapse:collapse;margin:.5em 0}\n"
    "th,td{padding:.15em .6em;border-bottom:1px solid #8884;text-align:left}\n"
    "td[align=right]{text-align:right;font-variant-numeric:tabular-nums}\n"
    "code{overflow-wrap:anywhere}\n"
    "summary{cursor:pointer}\n"
    ".wide{overflow-x:auto}\n"
    "svg{background:#fff}\n"
    "svg .added{stroke:#7a3b00;stroke-dasharray:3 2}\n"
    "svg .lost{stroke:#0b3a75;stroke-dasharray:3 2}\n"
    "svg #legend rect{stroke:#888;stroke-width:.5}\n"
    "</style>\n";

/* The page while it is made. */
struct making {
    const struct tv_cli *cli;
    const struct tv_change_page *page;
    struct tv_out *out;
    enum tv_clock clock; /* that the comparison has chosen */
};

static void put_head(const struct making *making)
{
    const struct tv_change_page *page = making->page;
    struct tv_out *out = making->out;
    tv_out_text(out, tv_str_from(head));
    tv_out_text(out, TV_STR("<title>"));
    tv_markup_name(out, tv_str_from(page->title ? page->title : "What changed"));
    tv_out_text(out, TV_STR("</title>\n</head>\n<body>\n<h1>"));
    tv_markup_name(out, tv_str_from(page->title ? page->title : "What changed"));
    tv_out_text(out, TV_STR("</h1>\n"));
    if (!page->note)
        return;
    tv_out_text(out, TV_STR("<p>"));
    tv_markup_name(out, tv_str_from(page->note));
    tv_out_text(out, TV_STR("</p>\n"));
}

/* The tables of diff, of the part that the options say. */
static int put_tables(struct making *making)
{
    const struct tv_scope_options *scope = making->page->scope;
    const bool is_wall =
        scope->clock && tv_choice_position(tv_measure_words, scope->clock) == TV_MEASURE_WALL;
    const char *const files[] = {making->page->old_file, making->page->new_file};
    const struct tv_diff_plan plan = {
        .opts = {.run_counts = {1, 1},
                 .has_clock = scope->clock != NULL,
                 .clock = is_wall ? TV_CLOCK_WALL : TV_CLOCK_CPU,
                 .least = TV_COMPARED_LEAST,
                 .most_rows = ROWS},
        .part = {.from = scope->from, .to = scope->to, .threads = scope->threads},
        .files = files};
    struct tv_error err = {.code = TV_OK};
    struct tv_diff diff;
    tv_diff_init(&diff, making->cli);
    int status = tv_diff_make(&diff, &plan);
    if (status == TV_STATUS_FINE && tv_diff_markdown_body(&diff, making->out, &err) != TV_OK)
        status = tv_cli_fail(making->cli, NULL, &err);
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
    struct tv_scope_options scope = *making->page->scope;
    scope.clock =
        tv_measure_words[making->clock == TV_CLOCK_WALL ? TV_MEASURE_WALL : TV_MEASURE_CPU];
    *flame = (struct tv_trace_flame){.shared = {.file = tv_file_label(asking->file)},
                                     .look = tv_flame_look_usual(),
                                     .base = base};
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

static int draw_new(struct making *making, struct tv_flame_base *base)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_index index;
    struct tv_asking asking;
    tv_index_init(&index);
    int status = tv_load_for_verb(making->cli, making->page->new_file, TV_WARNINGS_UNTOLD, &index);
    if (status == TV_STATUS_FINE) {
        tv_asking_init(&asking, making->cli, making->page->new_file, &index);
        enum tv_code code = put_pictures(making, &asking, base, &err);
        if (tv_memory_tell(&asking.limit, code, &index, too_much, &err) != TV_OK)
            status = tv_asking_fail(&asking, &err);
        tv_asking_release(&asking);
    }
    tv_index_release(&index);
    return status;
}

/* The names of the old stacks are in the memory of its asking, which stays until all is drawn. */
static int draw(struct making *making)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_flame_base base;
    struct tv_index index;
    struct tv_asking asking;
    tv_index_init(&index);
    int status = tv_load_for_verb(making->cli, making->page->old_file, TV_WARNINGS_UNTOLD, &index);
    if (status == TV_STATUS_FINE) {
        tv_asking_init(&asking, making->cli, making->page->old_file, &index);
        tv_flame_base_init(&base, asking.cli->alloc);
        enum tv_code code = take_old(making, &asking, &base, &err);
        if (tv_memory_tell(&asking.limit, code, &index, too_much, &err) != TV_OK)
            status = tv_asking_fail(&asking, &err);
        if (status == TV_STATUS_FINE)
            status = draw_new(making, &base);
        tv_flame_base_release(&base);
        tv_asking_release(&asking);
    }
    tv_index_release(&index);
    return status;
}

static int write_out(const struct making *making, struct tv_str bytes)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_output_file output;
    enum tv_code code = tv_output_open_beside(&output, making->cli, making->page->out,
                                              TV_OUTPUT_TEXT, making->page->new_file, &err);
    if (code == TV_OK) {
        const struct tv_sink sink = tv_output_sink(&output);
        code = sink.write(sink.ctx, bytes.at, bytes.len, &err);
        code = tv_output_close(&output, code, &err);
    }
    if (code == TV_OK)
        return TV_STATUS_FINE;
    (void)tv_cli_fail(making->cli, making->page->new_file, &err);
    return tv_cli_status(code);
}

int tv_change_page_write(const struct tv_cli *cli, const struct tv_change_page *page)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_buffer body;
    struct tv_out out;
    struct making making = {.cli = cli, .page = page, .out = &out};
    tv_buffer_init(&body, cli->alloc);
    tv_out_init(&out, tv_buffer_sink(&body));
    put_head(&making);
    int status = put_tables(&making);
    if (status == TV_STATUS_FINE)
        status = draw(&making);
    tv_out_text(&out, TV_STR("</body>\n</html>\n"));
    if (status == TV_STATUS_FINE && tv_out_finish(&out, &err) != TV_OK)
        status = tv_cli_fail(cli, NULL, &err);
    if (status == TV_STATUS_FINE)
        status = write_out(&making, tv_buffer_view(&body));
    tv_buffer_release(&body);
    return status;
}
