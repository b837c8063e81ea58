/*
 * What the reports of html_report.c and html_diff.c have in common; see export/report/html.h.
 *
 * The head of a report has a content policy that lets nothing be loaded and no script run but the
 * one whose hash it names. All text of a trace goes through tv_html_text or tv_html_method, which
 * escape it.
 */
#include "export/report/html.h"

#include <math.h>
#include <string.h>

#include "base/bytes/base64.h"
#include "base/bytes/sha256.h"
#include "base/numbers/shown_number.h"
#include "base/text/markup.h"

#define SHARE_MOST 1e6 /* percent that a bar is told of: past 100 it is full */

/* Colours have a contrast of 4.5 to 1 or more on their ground, in both themes. */
static const char style[] =
    ":root{color-scheme:light dark;--ground:#fff;--text:#1b1f24;--faint:#59616b;--line:#d5dae0;"
    "--head:#f3f5f7;--own:#e7effc;--bar:#cfe0f8;--link:#0b57d0}\n"
    "@media(prefers-color-scheme:dark){:root{--ground:#15181c;--text:#e3e6ea;--faint:#9da6b0;"
    "--line:#383e46;--head:#1e2228;--own:#1e2c44;--bar:#294166;--link:#8ab4f8}}\n"
    "body{margin:0;background:var(--ground);color:var(--text);font:14px/1.45 "
    "system-ui,sans-serif}\n"
    "nav{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;gap:.3em 1.3em;"
    "padding:.55em 1.2em;background:var(--head);border-bottom:1px solid var(--line)}\n"
    "main{padding:0 1.2em 4em;overflow-x:auto}\n"
    "h1{font-size:1.35em;margin:.9em 0 .2em;overflow-wrap:anywhere}\n"
    "h2{font-size:1.15em;margin:2em 0 .2em}\n"
    "h2,section{scroll-margin-top:3.2em}\n"
    "p{margin:.2em 0 .8em;color:var(--faint);max-width:60em}\n"
    "a{color:var(--link);text-decoration:none}\n"
    "a:hover,a:focus-visible{text-decoration:underline}\n"
    "table{width:100%;min-width:52em;border-collapse:collapse;table-layout:fixed}\n"
    "th,td{padding:.1em .55em;text-align:right;vertical-align:top;white-space:nowrap;"
    "font-variant-numeric:tabular-nums}\n"
    "th{width:6.5em;font-weight:normal;color:var(--faint);border-bottom:1px solid var(--line)}\n"
    "th:last-child,td:last-child{width:auto;text-align:left;white-space:normal;"
    "overflow-wrap:anywhere}\n"
    "tr:hover td{background:var(--head)}\n"
    "tr.own td{background:var(--own);font-weight:600}\n"
    "tr.part td{color:var(--faint)}\n"
    "tr.line td{border-top:1px dashed var(--line)}\n"
    "small{font-size:.9em;font-weight:normal;color:var(--faint)}\n"
    ".share{background:linear-gradient(90deg,var(--bar) calc(var(--s)*1%),transparent 0)}\n"
    "section{margin:.8em 0;border-bottom:1px solid var(--line);content-visibility:auto;"
    "contain-intrinsic-size:auto 12em}\n"
    "section:target{outline:2px solid var(--link)}\n"
    "summary,.head{display:flex;align-items:baseline;padding:.1em 0}\n"
    "summary{cursor:pointer}\n"
    "summary:hover{background:var(--head)}\n"
    "summary::before{content:'+';width:1em;color:var(--link)}\n"
    "[open]>summary::before{content:'\\2212'}\n"
    ".head{color:var(--faint);padding-left:1em;border-bottom:1px solid var(--line)}\n"
    "summary span,.head span{flex:none;width:6.5em;padding-right:.55em;text-align:right;"
    "font-variant-numeric:tabular-nums}\n"
    "summary b{padding-left:.55em;overflow-wrap:anywhere;min-width:0}\n"
    ".head b{padding-left:.55em;font-weight:normal}\n"
    "details{border-bottom:1px solid var(--line)}\n"
    "th button{all:unset;cursor:pointer}\n"
    "th button:focus-visible{outline:2px solid var(--link)}\n";

const char *tv_html_clock_name(enum tv_clock clock)
{
    return clock == TV_CLOCK_WALL ? "Wall" : "CPU";
}

/* A report from a disk has no server whose headers could say what it may do: it says so itself.
 * Nothing is fetched, and no script runs but the one with this digest, so that markup which gets
 * into a report against all care runs nothing. Bars have their length in a style of their own. */
static void put_policy(struct tv_out *out, struct tv_str script)
{
    uint8_t digest[TV_SHA256_LEN];
    tv_out_text(out, TV_STR("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                            "'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action "
                            "'none'"));
    if (script.len) {
        tv_sha256(script, digest);
        tv_out_text(out, TV_STR("; script-src 'sha256-"));
        tv_base64_put(out, digest, sizeof(digest));
        tv_out_text(out, TV_STR("'"));
    }
    tv_out_text(out, TV_STR("\">\n"));
}

/* The clock of the report comes first in every table, the other one behind it where the trace has
 * both. The policy allows the one script of the report by its hash, and nothing else. */
void tv_html_begin(struct tv_html *html, const struct tv_report *report,
                   const struct tv_html_head *head, struct tv_sink sink)
{
    enum tv_clock other = report->opts.clock == TV_CLOCK_CPU ? TV_CLOCK_WALL : TV_CLOCK_CPU;
    html->clock_count = 0;
    html->clocks[html->clock_count++] = report->opts.clock;
    if (report->index->info->has_clock[other])
        html->clocks[html->clock_count++] = other;
    tv_out_init(&html->out, sink);
    tv_out_text(&html->out,
                TV_STR("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"));
    put_policy(&html->out, head->script);
    tv_out_text(&html->out,
                TV_STR("<meta name=\"viewport\" content=\"width=device-width\">\n<title>"));
    tv_html_text(html, head->title);
    tv_out_text(&html->out, TV_STR("</title>\n<style>\n"));
    tv_out_text(&html->out, tv_str_from(style));
    tv_out_text(&html->out, TV_STR("</style>\n</head>\n<body>\n"));
}

enum tv_code tv_html_end(struct tv_html *html, struct tv_error *err)
{
    tv_out_text(&html->out, TV_STR("</body>\n</html>\n"));
    return tv_out_finish(&html->out, err);
}

/* A report has names in elements and between double quotes alone, where an apostrophe means
 * nothing. */
static struct tv_str entity_of(char byte)
{
    return byte == '\'' ? TV_STR("") : tv_markup_entity((unsigned char)byte);
}

/* Names come from the trace: markup becomes entities, and what a terminal or browser would act on
 * is written as it is shown elsewhere. Long names are cut, and say by how much. */
void tv_html_text(struct tv_html *html, struct tv_str text)
{
    size_t shown = text.len < TV_REPORT_NAME_SHOWN ? text.len : TV_REPORT_NAME_SHOWN;
    size_t at = 0;
    while (at < shown) {
        size_t from = at;
        while (at < shown && !entity_of(text.at[at]).len)
            at++;
        tv_out_shown(&html->out, (struct tv_str){text.at + from, at - from}, at - from);
        if (at < shown)
            tv_out_text(&html->out, entity_of(text.at[at++]));
    }
    if (shown < text.len)
        tv_out_add(&html->out, " (+%zu bytes)", text.len - shown);
}

/* Rows below a class do not repeat its name. A method without a name of its own is shown by its
 * class. */
void tv_html_method(struct tv_html *html, const struct tv_export_method *method, bool has_class)
{
    bool has_both = method->class_name.len && method->name.len;
    if (has_class || !method->name.len) {
        tv_html_text(html, method->class_name);
        if (has_both)
            tv_out_text(&html->out, TV_STR("."));
    }
    tv_html_text(html, method->name);
    if (!method->signature.len)
        return;
    tv_out_text(&html->out, TV_STR(" <small>"));
    tv_html_text(html, method->signature);
    tv_out_text(&html->out, TV_STR("</small>"));
}

void tv_html_calls(struct tv_html *html, uint64_t calls, uint64_t recursive_calls)
{
    tv_out_count(&html->out, calls);
    if (!recursive_calls)
        return;
    tv_out_text(&html->out, TV_STR("+"));
    tv_out_count(&html->out, recursive_calls);
}

void tv_html_ms(struct tv_html *html, int64_t time_ns)
{
    char room[TV_SHOWN_MOST];
    tv_out_text(&html->out, tv_shown_ms(room, time_ns));
}

void tv_html_percent(struct tv_html *html, int64_t part, uint64_t whole)
{
    char room[TV_SHOWN_MOST];
    tv_markup_text(&html->out, tv_shown_percent(room, part, whole));
}

void tv_html_times(struct tv_html *html, const uint64_t times_ns[TV_CLOCK_COUNT])
{
    for (unsigned i = 0; i < html->clock_count; i++) {
        tv_out_text(&html->out, TV_STR("<td>"));
        tv_html_ms(html, (int64_t)times_ns[html->clocks[i]]);
    }
}

void tv_html_share(struct tv_html *html, uint64_t part_ns, uint64_t whole_ns)
{
    const double percent = whole_ns ? 100.0 * (double)part_ns / (double)whole_ns : 0;
    /* %.0f is not used: it would be the only fraction that the WebAssembly modules have to format.
     */
    tv_out_add(&html->out, "<td class=\"share\" style=\"--s:%u\">",
               (unsigned)rint(percent < SHARE_MOST ? percent : SHARE_MOST));
    tv_html_percent(html, (int64_t)part_ns, whole_ns);
}
