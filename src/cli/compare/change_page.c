/*
 * A comparison as a page; see cli/compare/change_page.h. All is written into a buffer first, so
 * that a page is whole or not there. Names are hostile text, and are escaped by who writes each
 * part.
 */
#include "cli/compare/change_page.h"

#include "base/text/markup.h"
#include "base/text/out.h"
#include "cli/compare/change_body.h"
#include "cli/compare/run_set.h"
#include "cli/file/load.h"
#include "cli/file/output.h"
#include "export/flame/flame.h"

#define ROWS_MOST 100u

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

/* A trace that is compared. */
struct run {
    struct tv_index index;
    struct tv_asking asking;
    bool is_asking;
};

static void release_run(struct run *run)
{
    if (run->is_asking)
        tv_asking_release(&run->asking);
    tv_index_release(&run->index);
}

static int load_run(const struct tv_cli *cli, const char *file, struct run *run)
{
    int status = tv_load_for_verb(cli, file, TV_WARNINGS_TOLD, &run->index);
    if (status == TV_STATUS_FINE)
        tv_asking_init(&run->asking, cli, file, &run->index);
    run->is_asking = status == TV_STATUS_FINE;
    return status;
}

/* The runs while their page is made. */
struct runs {
    struct run *of;
    struct tv_asking **askings;
    size_t count;
};

static void release_runs(struct runs *runs, const struct tv_alloc *alloc)
{
    for (size_t i = 0; runs->of && i < runs->count; i++)
        release_run(&runs->of[i]);
    tv_alloc_release(alloc, &runs->askings, runs->count, sizeof(*runs->askings));
    tv_alloc_release(alloc, &runs->of, runs->count, sizeof(*runs->of));
}

static enum tv_code take_room(struct runs *runs, const struct tv_alloc *alloc, struct tv_error *err)
{
    TV_TRY(tv_alloc_new(alloc, &runs->of, runs->count, sizeof(*runs->of), err));
    TV_TRY(tv_alloc_new(alloc, &runs->askings, runs->count, sizeof(*runs->askings), err));
    for (size_t i = 0; i < runs->count; i++) {
        tv_index_init(&runs->of[i].index);
        runs->askings[i] = &runs->of[i].asking;
    }
    return TV_OK;
}

static int put_runs(const struct making *making, struct runs *runs)
{
    const struct tv_change_page *page = making->page;
    const struct tv_change_body body = {
        .cli = making->cli,
        .runs = runs->askings,
        .counts = {page->counts[TV_SIDE_OLD], page->counts[TV_SIDE_NEW]},
        .scope = page->scope,
        .matches = page->matches,
        .most_rows = ROWS_MOST,
        .look = tv_flame_look_usual()};
    int status = tv_run_set_check(making->cli, page->files, runs->count);
    for (size_t i = 0; i < runs->count && status == TV_STATUS_FINE; i++)
        status = load_run(i < page->counts[TV_SIDE_OLD] ? page->old_cli : making->cli,
                          page->files[i], &runs->of[i]);
    return status == TV_STATUS_FINE ? tv_change_body_put(&body, making->out) : status;
}

static int put_body(const struct making *making)
{
    const size_t *counts = making->page->counts;
    struct runs runs = {.count = counts[TV_SIDE_OLD] + counts[TV_SIDE_NEW]};
    struct tv_error err = {.code = TV_OK};
    int status = take_room(&runs, making->cli->alloc, &err) == TV_OK
                     ? put_runs(making, &runs)
                     : tv_cli_fail(making->cli, NULL, &err);
    release_runs(&runs, making->cli->alloc);
    return status;
}

static int write_out(const struct making *making, struct tv_str bytes)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_output_file output;
    enum tv_code code =
        tv_output_open_beside(&output, making->cli, making->page->out, TV_OUTPUT_TEXT,
                              making->page->files[making->page->counts[TV_SIDE_OLD]], &err);
    if (code == TV_OK) {
        const struct tv_sink sink = tv_output_sink(&output);
        code = sink.write(sink.ctx, bytes.at, bytes.len, &err);
        code = tv_output_close(&output, code, &err);
    }
    if (code == TV_OK)
        return TV_STATUS_FINE;
    (void)tv_cli_fail(making->cli, making->page->files[making->page->counts[TV_SIDE_OLD]], &err);
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
    int status = put_body(&making);
    tv_out_text(&out, TV_STR("</body>\n</html>\n"));
    if (status == TV_STATUS_FINE && tv_out_finish(&out, &err) != TV_OK)
        status = tv_cli_fail(cli, NULL, &err);
    if (status == TV_STATUS_FINE)
        status = write_out(&making, tv_buffer_view(&body));
    tv_buffer_release(&body);
    return status;
}
