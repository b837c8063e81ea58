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
struct side {
    struct tv_index index;
    struct tv_asking asking;
    bool is_asking;
};

static void release_side(struct side *side)
{
    if (side->is_asking)
        tv_asking_release(&side->asking);
    tv_index_release(&side->index);
}

static int load_side(const struct making *making, const char *file, struct side *side)
{
    int status = tv_load_for_verb(making->cli, file, TV_WARNINGS_TOLD, &side->index);
    if (status == TV_STATUS_FINE)
        tv_asking_init(&side->asking, making->cli, file, &side->index);
    side->is_asking = status == TV_STATUS_FINE;
    return status;
}

static int put_body(struct making *making)
{
    const struct tv_change_page *page = making->page;
    const char *const files[] = {page->old_file, page->new_file};
    struct side sides[TV_SIDE_COUNT] = {{.is_asking = false}};
    int status = tv_run_set_check(making->cli, files, TV_SIDE_COUNT);
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        tv_index_init(&sides[side].index);
    for (unsigned side = 0; side < TV_SIDE_COUNT && status == TV_STATUS_FINE; side++)
        status = load_side(making, files[side], &sides[side]);
    if (status == TV_STATUS_FINE)
        status = tv_change_body_put(&(struct tv_change_body){.cli = making->cli,
                                                             .sides = {&sides[TV_SIDE_OLD].asking,
                                                                       &sides[TV_SIDE_NEW].asking},
                                                             .scope = page->scope,
                                                             .matches = page->matches,
                                                             .most_rows = ROWS_MOST,
                                                             .look = tv_flame_look_usual()},
                                    making->out);
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        release_side(&sides[side]);
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
    int status = put_body(&making);
    tv_out_text(&out, TV_STR("</body>\n</html>\n"));
    if (status == TV_STATUS_FINE && tv_out_finish(&out, &err) != TV_OK)
        status = tv_cli_fail(cli, NULL, &err);
    if (status == TV_STATUS_FINE)
        status = write_out(&making, tv_buffer_view(&body));
    tv_buffer_release(&body);
    return status;
}
