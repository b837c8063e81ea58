/* The frame of all pages; see pages/frame.h. */
#include "pages/frame.h"

#include <stdio.h>
#include <string.h>

#include "base/text/percent.h"
#include "pages/say.h"

void tv_frame_add(struct tv_frame *frame, const char *markup)
{
    tv_out_text(&frame->out, tv_str_from(markup));
}

void tv_frame_parameter(struct tv_frame *frame, struct tv_str text)
{
    tv_percent_put(&frame->out, text);
}

/* Nothing comes from elsewhere, nothing inline runs, and no other page may show this one in a
 * frame. `object-src` is for the pictures of the flame graphs. */
const char *tv_pages_policy(void)
{
    return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
           "connect-src 'self'; object-src 'self'; frame-src 'self'; form-action 'self'; base-uri "
           "'none'; "
           "frame-ancestors 'none'";
}

/* A picture has its script and its style in it. It runs as a document of no origin, so a script
 * that got into it would reach nothing of the site: neither its pages nor what they keep in the
 * browser. */
const char *tv_pages_picture_policy(void)
{
    return "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
           "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts";
}

/* The sign of the viewer's page: three bars of a call stack. */
static const char icon[] =
    "<link rel=\"icon\" href=\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' "
    "viewBox='0 0 16 16'%3E%3Cg fill='%233f5bd9'%3E%3Crect x='1' y='2' width='14' height='3.4' "
    "rx='1.2'/%3E%3Crect x='1' y='6.3' width='8' height='3.4' rx='1.2' opacity='.7'/%3E%3Crect "
    "x='4' y='10.6' width='4' height='3.4' rx='1.2' opacity='.45'/%3E%3C/g%3E%3C/svg%3E\">\n";
static const char sign[] =
    "<svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><rect x=\"1\" y=\"2\" width=\"14\" "
    "height=\"3.4\" rx=\"1.2\"/><rect x=\"1\" y=\"6.3\" width=\"8\" height=\"3.4\" rx=\"1.2\" "
    "opacity=\".7\"/><rect x=\"4\" y=\"10.6\" width=\"4\" height=\"3.4\" rx=\"1.2\" "
    "opacity=\".45\"/></svg>";

static void write_link(struct tv_frame *frame, const char *path, const char *name, bool is_here)
{
    TV_MARKUP(&frame->out, "<li><a href=\"{}{}\"", frame->site->base, tv_str_from(path));
    tv_frame_add(frame, is_here ? " aria-current=\"page\">" : ">");
    TV_MARKUP(&frame->out, "{}</a></li>", tv_str_from(name));
}

static void write_bar(struct tv_frame *frame, enum tv_frame_place place)
{
    const struct tv_told_site *site = frame->site;
    TV_MARKUP(&frame->out,
              "<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n"
              "<header class=\"site-bar\"><a class=\"brand\" href=\"{}/\">",
              site->base);
    tv_frame_add(frame, sign);
    tv_frame_add(frame, "traceview</a>\n<nav aria-label=\"Site\"><ul>");
    write_link(frame, "/", "Upload", place == TV_FRAME_START);
    if (site->has_list)
        write_link(frame, "/list", "Traces", place == TV_FRAME_LIST);
    write_link(frame, "/stored", "What is stored", place == TV_FRAME_STORED);
    tv_frame_add(frame, "</ul></nav>");
    if (site->user.len)
        TV_MARKUP(&frame->out, "<span class=\"user\">{}</span>", site->user);
    tv_frame_add(frame, "</header>\n");
}

void tv_frame_begin(struct tv_frame *frame, const struct tv_told_site *site,
                    const struct tv_frame_head *head, struct tv_sink sink)
{
    tv_out_init(&frame->out, sink);
    frame->site = site;
    TV_MARKUP(&frame->out,
              "<!DOCTYPE html>\n<html lang=\"en\" data-theme=\"system\" data-base=\"{}\" "
              "data-page=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
              "<meta name=\"color-scheme\" content=\"light dark\">\n"
              "<title>{} · traceview</title>\n",
              site->base, tv_str_from(head->kind), head->title);
    tv_frame_add(frame, icon);
    TV_MARKUP(&frame->out, "<link rel=\"stylesheet\" href=\"{}/static/{}\">\n", site->base,
              tv_str_from(site->files->style.name));
    if (site->files->script.name[0])
        TV_MARKUP(&frame->out, "<script src=\"{}/static/{}\" defer></script>\n", site->base,
                  tv_str_from(site->files->script.name));
    if (head->refresh_s)
        tv_out_add(&frame->out,
                   "<noscript><meta http-equiv=\"refresh\" content=\"%u\"></noscript>\n",
                   head->refresh_s);
    tv_frame_add(frame, "</head>\n");
    write_bar(frame, head->place);
    tv_frame_add(frame, "<main id=\"main\" tabindex=\"-1\">\n");
}

enum tv_code tv_frame_end(struct tv_frame *frame, struct tv_error *err)
{
    tv_frame_add(frame, "</main>\n</body>\n</html>\n");
    return tv_out_finish(&frame->out, err);
}

struct tv_str tv_frame_name_of(const struct tv_told_trace *trace)
{
    return trace->title.len ? trace->title : trace->file;
}

void tv_frame_time(struct tv_frame *frame, uint64_t seconds)
{
    char iso[TV_SAY_MOST];
    char text[TV_SAY_MOST];
    TV_MARKUP(&frame->out, "<time datetime=\"{}\">{}</time>", tv_say_time_iso(iso, seconds),
              tv_say_time(text, seconds));
}

void tv_frame_facts(struct tv_frame *frame, const struct tv_told_trace *trace)
{
    char size[TV_SAY_MOST];
    tv_frame_add(frame, "<p class=\"facts\">");
    if (trace->title.len && !tv_str_equal(trace->title, trace->file))
        TV_MARKUP(&frame->out, "<span>{}</span> ", trace->file);
    TV_MARKUP(&frame->out, "<span>{}</span> <span>uploaded ", tv_say_bytes(size, trace->bytes));
    tv_frame_time(frame, trace->created_s);
    if (trace->expires_s == TV_TOLD_FOREVER) {
        tv_frame_add(frame, "</span> <span>kept until it is deleted");
    } else {
        tv_frame_add(frame, "</span> <span>kept until ");
        tv_frame_time(frame, trace->expires_s);
    }
    tv_frame_add(frame, "</span></p>\n");
}

void tv_frame_labels(struct tv_frame *frame, const struct tv_told_trace *trace)
{
    if (!trace->label_count)
        return;
    tv_frame_add(frame, "<ul class=\"labels\" aria-label=\"Labels\">");
    for (size_t i = 0; i < trace->label_count; i++)
        TV_MARKUP(&frame->out, "<li><span>{}</span> {}</li>", trace->labels[i].key,
                  trace->labels[i].value);
    tv_frame_add(frame, "</ul>\n");
}

struct tv_str tv_frame_life(char room[TV_FRAME_LIFE_MOST], uint64_t kept_s)
{
    char duration[TV_SAY_MOST];
    if (kept_s == TV_TOLD_FOREVER)
        return TV_STR("kept until it is deleted");
    struct tv_str text = tv_say_duration(duration, kept_s);
    int len = snprintf(room, TV_FRAME_LIFE_MOST, "kept for %.*s", (int)text.len, text.at);
    return (struct tv_str){room, len > 0 ? (size_t)len : 0};
}
