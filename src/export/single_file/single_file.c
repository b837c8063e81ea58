/*
 * A trace as one page; see export/single_file/single_file.h.
 *
 * The template is split at its marks, and the parts of the page are written between its pieces:
 * title, the still view for readers without scripts (a table, a flame graph, the marks of the
 * link), and the data. Data stand in elements that no browser runs; the JSON among them is escaped
 * so that nothing in it can end its element.
 */
#include "export/single_file/single_file.h"

#include <stdio.h>

#include "base/bytes.h"
#include "base/bytes/base93.h"
#include "base/bytes/sha256.h"
#include "base/hex.h"
#include "base/memory/buffer.h"
#include "base/numbers/shown_number.h"
#include "base/text/json.h"
#include "base/text/markup.h"
#include "base/text/out.h"
#include "export/export_context.h"
#include "export/flame/flame.h"
#include "export/report/report.h"

/* What is shown without a script: enough to see what took the time, little beside the trace. */
#define ROWS_MOST 40u
#define STILL_BOXES 400u
#define STILL_WIDTH 1000u
#define STILL_LEAST_PIXELS 2.0

#define MARK_TEXT_MOST 256u

/* Where the template stands open, in this order. */
enum { MARK_TITLE, MARK_STILL, MARK_DATA, MARK_COUNT };
static const struct tv_str marks[MARK_COUNT] = {
    [MARK_TITLE] = {"<!--tv:title-->", 15},
    [MARK_STILL] = {"<!--tv:still-->", 15},
    [MARK_DATA] = {"<!--tv:data-->", 14},
};

static enum tv_code fail_for_template(struct tv_error *err, unsigned mark)
{
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                   "the page's template has %s not once, or not in its place", marks[mark].at);
}

/* parts[i] is what stands before mark i, the last part what follows them. */
static enum tv_code split(struct tv_str page, struct tv_str parts[MARK_COUNT + 1],
                          struct tv_error *err)
{
    for (unsigned i = 0; i < MARK_COUNT; i++) {
        size_t at = tv_str_find(page, marks[i], TV_CASE_EXACT);
        if (at == SIZE_MAX)
            return fail_for_template(err, i);
        parts[i] = (struct tv_str){page.at, at};
        page = (struct tv_str){page.at + at + marks[i].len, page.len - at - marks[i].len};
    }
    parts[MARK_COUNT] = page;
    for (unsigned i = 0; i < MARK_COUNT; i++) {
        for (unsigned part = 0; part <= MARK_COUNT; part++) {
            if (tv_str_find(parts[part], marks[i], TV_CASE_EXACT) != SIZE_MAX)
                return fail_for_template(err, i);
        }
    }
    return TV_OK;
}

/* The name in the page is that of the file, unless names are redacted: a file name tells what was
 * recorded. */
void tv_single_file_init(struct tv_single_file *report, const struct tv_export_opts *opts)
{
    const struct tv_selection *selection = &opts->scope.selection;
    const bool is_redacted = opts->redact != NULL;
    *report = (struct tv_single_file){
        .name = is_redacted ? TV_STR("redacted.trace") : opts->file,
        .clock = opts->scope.measure == TV_MEASURE_CPU ? TV_CLOCK_CPU : TV_CLOCK_WALL,
        .cut = {.has_range = selection->has_range,
                .from_ns = selection->from_ns,
                .to_ns = selection->to_ns,
                .is_redacted = is_redacted},
        .part = tv_export_part(opts)};
}

static bool has_old(const struct tv_single_file *report)
{
    return report->old_trace.len > 0;
}

/* "a.trace", or "a.trace and 2 more" runs of its side. */
static void put_side(struct tv_out *out, const struct tv_single_file *report, bool is_old)
{
    size_t more = 0;
    for (size_t i = 0; i < report->more_count; i++)
        more += report->more[i].is_old == is_old;
    tv_markup_name(out, is_old ? report->old_name : report->name);
    if (more)
        tv_out_add(out, " and %zu more", more);
}

/* The title as text of the page, which is the sender's or the names of files. */
static void put_title(struct tv_out *out, const struct tv_single_file *report)
{
    if (report->title.len || !has_old(report)) {
        tv_markup_name(out, report->title.len ? report->title : report->name);
        return;
    }
    tv_out_text(out, TV_STR("What changed from "));
    put_side(out, report, true);
    tv_out_text(out, TV_STR(" to "));
    put_side(out, report, false);
}

struct tv_flame_look tv_single_file_look(void)
{
    struct tv_flame_look look = tv_flame_look_usual();
    look.is_part_of_page = true;
    look.width = STILL_WIDTH;
    look.box_limit = STILL_BOXES;
    look.least_pixels = STILL_LEAST_PIXELS;
    look.min_width = TV_STR("2 px");
    return look;
}

/* --- what is shown without a script --- */

static void put_ms(struct tv_out *out, uint64_t time_ns)
{
    char room[TV_SHOWN_MOST];
    tv_out_text(out, TV_STR("<td>"));
    tv_out_text(out, tv_shown_ms(room, (int64_t)time_ns));
    tv_out_text(out, TV_STR("</td>"));
}

static void put_share(struct tv_out *out, uint64_t part_ns, uint64_t whole_ns)
{
    char room[TV_SHOWN_MOST];
    tv_out_text(out, TV_STR("<td>"));
    tv_markup_text(out, tv_shown_percent(room, (int64_t)part_ns, whole_ns));
    tv_out_text(out, TV_STR("</td>"));
}

/* The table stands in the page for readers without scripts (a mail program, a printer), so it has
 * the few columns that fit a page of paper. */
static void put_row(struct tv_out *out, const struct tv_report *report,
                    const struct tv_report_row *row)
{
    const enum tv_clock clock = report->opts.clock;
    const struct tv_export_method *method = row->method;
    tv_out_text(out, TV_STR("<tr>"));
    put_share(out, row->exclusive_ns[clock], report->total_ns[clock]);
    put_ms(out, row->exclusive_ns[clock]);
    put_ms(out, row->inclusive_ns[clock]);
    tv_out_text(out, TV_STR("<td>"));
    tv_out_count(out, row->calls + row->recursive_calls);
    tv_out_text(out, TV_STR("</td><td>"));
    tv_markup_name(out, method->class_name);
    if (method->class_name.len && method->name.len)
        tv_out_text(out, TV_STR("."));
    tv_markup_name(out, method->name);
    tv_out_text(out, TV_STR("</td></tr>\n"));
}

/* Rows without exclusive time end the table: they are sorted by it. */
static void put_rows(struct tv_out *out, const struct tv_report *report, const char *calls_word)
{
    const enum tv_clock clock = report->opts.clock;
    const char *word = clock == TV_CLOCK_CPU ? "CPU" : "wall";
    tv_out_add(out,
               "<table class=\"still\">\n<caption>Methods by exclusive %s time</caption>\n"
               "<thead><tr><th>Self %%</th><th>Excl ms</th><th>Incl ms</th><th>%s</th>"
               "<th>Method</th></tr></thead>\n<tbody>\n",
               word, calls_word);
    for (uint32_t i = 0; i < report->row_count && i < ROWS_MOST; i++) {
        const struct tv_report_row *row = &report->rows[report->by_exclusive[i]];
        if (!row->exclusive_ns[clock])
            break;
        put_row(out, report, row);
    }
    tv_out_text(out, TV_STR("</tbody>\n</table>\n"));
}

/* The table is made by the code of reports and not by the viewer's, because no script may run where
 * it is read. */
static enum tv_code write_table(struct tv_export_context *context, struct tv_error *err)
{
    const bool is_cpu = context->opts->scope.measure == TV_MEASURE_CPU;
    const struct tv_report_opts opts = {.clock = is_cpu ? TV_CLOCK_CPU : TV_CLOCK_WALL};
    struct tv_report report;
    tv_report_init(&report, context->alloc);
    enum tv_code code = tv_report_make(&report, &context->stacks.sums, &context->names, &opts, err);
    if (code == TV_OK)
        put_rows(&context->out, &report, context->index->info->is_sampled ? "Runs" : "Calls");
    tv_report_release(&report);
    return code;
}

/* The table as a format, so that it gets the same names and sums as any other. */
static const struct tv_export table = {.name = "still table", .write = write_table};

/* What the writing needs everywhere. */
struct writing {
    const struct tv_single_file *report;
    const struct tv_index *index;
    const struct tv_alloc *alloc;
    const struct tv_pool *pool;
    struct tv_buffer link; /* as it fits the part */
    struct tv_buffer part; /* what of the trace the page has, in words; empty: all of it */
    struct tv_out out;
};

/* Parts of the still page are exports of their own, written into the same page. The clock is the
 * one that the link shows, where the trace has it. */
static enum tv_code run_still(struct writing *writing, const struct tv_export *format,
                              struct tv_export_opts *opts, struct tv_error *err)
{
    const uint32_t *has_clock = writing->index->info->has_clock;
    const bool wants_cpu = writing->report->clock == TV_CLOCK_CPU;
    const bool is_cpu = has_clock[TV_CLOCK_CPU] && (wants_cpu || !has_clock[TV_CLOCK_WALL]);
    struct tv_export_result result;
    opts->file = writing->report->name;
    opts->scope.measure = is_cpu ? TV_MEASURE_CPU : TV_MEASURE_WALL;
    return tv_export_run(format, writing->index, opts, writing->alloc, writing->pool,
                         tv_out_sink(&writing->out), &result, err);
}

/* Marks are part of the link; here they are repeated as text. Names in them are the sender's and
 * are escaped. */
static void put_marks(struct tv_out *out, struct tv_str link)
{
    struct tv_single_file_mark mark;
    bool has_begun = false;
    while (tv_single_file_mark_next(&link, &mark)) {
        char text[MARK_TEXT_MOST];
        tv_out_text(out, has_begun ? TV_STR("<li>") : TV_STR("<ul>\n<li>"));
        tv_out_fraction(out, mark.from_ns, 6);
        tv_out_text(out, TV_STR(" – "));
        tv_out_fraction(out, mark.to_ns, 6);
        tv_out_text(out, TV_STR(" ms "));
        tv_markup_name(out,
                       (struct tv_str){text, tv_single_file_mark_text(&mark, text, sizeof(text))});
        tv_out_text(out, TV_STR("</li>\n"));
        has_begun = true;
    }
    if (has_begun)
        tv_out_text(out, TV_STR("</ul>\n"));
}

/* Nothing else in the page tells that something is missing in it, as calls of java. that were taken
 * out: "This page has a part of a trace in it (without java.), and the viewer. ..." */
static void put_content(struct writing *writing)
{
    const struct tv_single_file *report = writing->report;
    const bool is_part = writing->part.len > 0;
    struct tv_out *out = &writing->out;
    tv_out_text(out, is_part ? TV_STR("<p>This page has a part of ") : TV_STR("<p>This page has "));
    if (!has_old(report))
        tv_out_text(out, is_part ? TV_STR("a trace") : TV_STR("a whole trace"));
    else if (report->more_count)
        tv_out_add(out, "all %zu traces", report->more_count + 2);
    else
        tv_out_text(out, TV_STR("both traces"));
    tv_out_text(out, TV_STR(" in it"));
    if (is_part) {
        tv_out_text(out, TV_STR(" ("));
        tv_markup_text(out, tv_buffer_view(&writing->part));
        tv_out_text(out, TV_STR(")"));
    }
    tv_out_text(out, TV_STR(", and the viewer. Where no script may run, it shows this.</p>\n"));
}

/* A table and a picture of the trace. */
static enum tv_code put_trace_still(struct writing *writing, struct tv_error *err)
{
    struct tv_export_opts table_opts = {.levels = 0};
    struct tv_trace_flame flame = {.look = tv_single_file_look()};
    TV_TRY(run_still(writing, &table, &table_opts, err));
    return run_still(writing, &tv_export_flame, &flame.shared, err);
}

/* Title and note first, then what stands still. */
static enum tv_code put_still(struct writing *writing, struct tv_error *err)
{
    const struct tv_single_file *report = writing->report;
    struct tv_out *out = &writing->out;
    tv_out_text(out, TV_STR("<h1>"));
    put_title(out, report);
    tv_out_text(out, TV_STR("</h1>\n"));
    if (report->note.len) {
        tv_out_text(out, TV_STR("<pre>"));
        tv_markup_lines(out, report->note);
        tv_out_text(out, TV_STR("</pre>\n"));
    }
    put_marks(out, tv_buffer_view(&writing->link));
    put_content(writing);
    if (!has_old(report))
        return put_trace_still(writing, err);
    tv_out_text(out, report->changes);
    return TV_OK;
}

/* --- the data --- */

/* Bytes of the trace in one block. A block is read when the next one has begun, and a browser
 * copies the text of a block each time that more of it comes. */
#define BLOCK_LEN ((size_t)1 << 17)

static void put_text(struct tv_out *out, const char *packed, size_t len)
{
    tv_base93_put(out, (const uint8_t *)(const void *)packed, len);
    tv_out_text(out, TV_STR("</script>\n"));
}

static void put_module(struct tv_out *out, const char *id, struct tv_str packed)
{
    if (!packed.len)
        return;
    tv_out_add(out, "<script type=\"text/plain\" id=\"%s\">", id);
    put_text(out, packed.at, packed.len);
}

/* The text stands in pieces: a script of many megabytes in one piece makes browsers stop while they
 * read the page. */
static void put_trace(struct tv_out *out, const char *id, struct tv_str packed)
{
    tv_out_add(out, "<div id=\"%s\" hidden>\n", id);
    for (size_t at = 0; at < packed.len; at += BLOCK_LEN) {
        const size_t left = packed.len - at;
        tv_out_text(out, TV_STR("<script type=\"text/plain\">"));
        put_text(out, packed.at + at, left < BLOCK_LEN ? left : BLOCK_LEN);
    }
    tv_out_text(out, TV_STR("</div>\n"));
}

/* A member of which nothing can end the block that the JSON stands in. */
static void put_json(struct tv_out *out, struct tv_str json)
{
    for (size_t from = 0, at = 0; at <= json.len; at++) {
        if (at < json.len && json.at[at] != '<')
            continue;
        tv_out_text(out, (struct tv_str){json.at + from, at - from});
        if (at < json.len)
            tv_out_text(out, TV_STR("\\u003c"));
        from = at + 1;
    }
}

/* The least that a gzip file has, and what it ends with: the length of what is packed in it. */
#define GZIP_LEAST 18u
#define GZIP_LENGTH_LEN 4u

static bool is_gzip(struct tv_str packed)
{
    const uint8_t *bytes = (const uint8_t *)(const void *)packed.at;
    return packed.len >= GZIP_LEAST && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

/* Of gzip it stands at the end. */
static uint64_t unpacked_len(const struct tv_single_file *report)
{
    const struct tv_str packed = report->trace;
    if (!is_gzip(packed))
        return report->unpacked_len;
    return tv_load_le32((const uint8_t *)(const void *)packed.at + packed.len - GZIP_LENGTH_LEN);
}

/* How long the trace is, packed and unpacked: the page reads it while it comes, and makes room
 * before. Of zstd the page takes the whole, unless it has the decoder. */
static void put_lengths(struct tv_json *json, const struct tv_single_file *report)
{
    if (!is_gzip(report->trace) && !report->decoder.len)
        return;
    tv_json_key_u64(json, "packed", report->trace.len);
    tv_json_key_u64(json, "unpacked", unpacked_len(report));
}

/* The script that unpacks zstd checks no sum. */
static void put_sum(struct tv_json *json, struct tv_str packed)
{
    uint8_t digest[TV_SHA256_LEN];
    char text[2 * TV_SHA256_LEN];
    tv_sha256(packed, digest);
    tv_hex_put(text, digest, sizeof(digest));
    tv_json_key_str(json, "sha256", (struct tv_str){text, sizeof(text)});
}

/* What is said of the traces beside the page's own. */
static void put_others(struct tv_json *json, const struct tv_single_file *report)
{
    if (!has_old(report))
        return;
    tv_json_key(json, "old");
    tv_json_open_object(json);
    tv_json_key_str(json, "name", report->old_name);
    put_sum(json, report->old_trace);
    tv_json_close_object(json);
    if (!report->more_count)
        return;
    tv_json_key(json, "more");
    tv_json_open_array(json);
    for (size_t i = 0; i < report->more_count; i++) {
        tv_json_open_object(json);
        tv_json_key_truth(json, "is_old", report->more[i].is_old);
        tv_json_key_str(json, "name", report->more[i].name);
        put_sum(json, report->more[i].trace);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
}

/* The page's own trace comes last: it is read while the document still comes. */
static void put_traces(struct tv_out *out, const struct tv_single_file *report)
{
    if (has_old(report))
        put_trace(out, "tv-old", report->old_trace);
    for (size_t i = 0; i < report->more_count; i++) {
        char id[32];
        (void)snprintf(id, sizeof(id), "tv-more-%zu", i + 1);
        put_trace(out, id, report->more[i].trace);
    }
    put_trace(out, "tv-trace", report->trace);
}

/* The JSON is made in memory before anything is written, because put_json must escape it for the
 * element that it stands in. */
static enum tv_code put_data(struct writing *writing, struct tv_error *err)
{
    const struct tv_single_file *report = writing->report;
    struct tv_out *out = &writing->out;
    struct tv_buffer text;
    struct tv_json json;
    tv_buffer_init(&text, writing->alloc);
    tv_json_init(&json, tv_buffer_sink(&text));
    tv_json_open_object(&json);
    tv_json_key_str(&json, "title", report->title);
    tv_json_key_str(&json, "note", report->note);
    if (writing->part.len)
        tv_json_key_str(&json, "part", tv_buffer_view(&writing->part));
    tv_json_key_str(&json, "link", tv_buffer_view(&writing->link));
    tv_json_key_str(&json, "name", report->name);
    put_sum(&json, report->trace);
    put_lengths(&json, report);
    put_others(&json, report);
    tv_json_close_object(&json);
    enum tv_code code = tv_json_finish(&json, err);
    if (code == TV_OK) {
        put_module(out, "tv-engine", report->engine);
        put_module(out, "tv-zstd", report->decoder);
        tv_out_text(out, TV_STR("<script type=\"application/json\" id=\"tv-report\">"));
        put_json(out, tv_buffer_view(&text));
        tv_out_text(out, TV_STR("</script>\n"));
        put_traces(out, report);
    }
    tv_buffer_release(&text);
    return code;
}

static enum tv_code take_link(struct writing *writing, struct tv_error *err)
{
    struct tv_out out;
    tv_out_init(&out, tv_buffer_sink(&writing->link));
    tv_single_file_link_put(&out, writing->report->link, &writing->report->cut,
                            has_old(writing->report));
    return tv_out_finish(&out, err);
}

static enum tv_code check_length(const struct tv_single_file *report, struct tv_error *err)
{
    size_t len = report->trace.len + report->old_trace.len;
    for (size_t i = 0; i < report->more_count; i++)
        len += report->more[i].trace.len;
    if (len <= TV_PAGE_TRACE_MOST)
        return TV_OK;
    return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                   "%s too long for a page: packed, %s %zu MiB of at most %zu; "
                   "take a shorter part (a range, or some threads)",
                   report->more_count ? "all traces are"
                   : has_old(report)  ? "both traces are"
                                      : "the trace is",
                   has_old(report) ? "they have" : "it has", len >> 20, TV_PAGE_TRACE_MOST >> 20);
}

/* The page of the viewer is cut at its marks, and title, still picture and data are written in
 * between. */
static enum tv_code put_page(struct writing *writing, struct tv_error *err)
{
    struct tv_str parts[MARK_COUNT + 1];
    struct tv_out *out = &writing->out;
    TV_TRY(check_length(writing->report, err));
    TV_TRY(split(writing->report->page, parts, err));
    TV_TRY(take_link(writing, err));
    TV_TRY(tv_scope_word_part(&writing->report->part, TV_SCOPE_ALL, &writing->part, err));
    tv_out_text(out, parts[MARK_TITLE]);
    put_title(out, writing->report);
    tv_out_text(out, parts[MARK_STILL]);
    TV_TRY(put_still(writing, err));
    tv_out_text(out, parts[MARK_DATA]);
    TV_TRY(put_data(writing, err));
    tv_out_text(out, parts[MARK_COUNT]);
    return tv_out_finish(out, err);
}

enum tv_code tv_single_file_write(const struct tv_single_file *report, const struct tv_index *index,
                                  const struct tv_alloc *alloc, const struct tv_pool *pool,
                                  struct tv_sink sink, struct tv_error *err)
{
    struct writing writing = {.report = report, .index = index, .alloc = alloc, .pool = pool};
    tv_buffer_init(&writing.link, alloc);
    tv_buffer_init(&writing.part, alloc);
    tv_out_init(&writing.out, sink);
    enum tv_code code = put_page(&writing, err);
    tv_buffer_release(&writing.part);
    tv_buffer_release(&writing.link);
    return code;
}
