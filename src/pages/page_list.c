/* The list of traces: search, pages, and two of them to compare. */
#include "pages/frame.h"
#include "pages/say.h"

static void write_search(struct tv_frame *frame, struct tv_str search)
{
    TV_MARKUP(
        &frame->out,
        "<form class=\"search\" action=\"{}/list\" role=\"search\"><label for=\"q\">Search by "
        "title, file, note, app, build or device</label>"
        "<div><input id=\"q\" name=\"q\" type=\"search\" value=\"{}\" maxlength=\"200\" "
        "autocomplete=\"off\"><button class=\"button\">Search</button></div></form>\n",
        frame->site->base, search);
}

static const char *state_of(const struct tv_told_trace *trace)
{
    switch (trace->state) {
    case TV_TOLD_WAITING:
    case TV_TOLD_READING:
        return "processing";
    case TV_TOLD_BAD:
        return "cannot be shown";
    case TV_TOLD_READY:
        break;
    }
    return NULL;
}

static void write_row(struct tv_frame *frame, const struct tv_told_trace *trace)
{
    char size[TV_SAY_MOST];
    struct tv_str name = tv_frame_name_of(trace);
    const char *state = state_of(trace);
    TV_MARKUP(&frame->out,
              "<tr><td><input type=\"checkbox\" name=\"trace\" value=\"{}\" "
              "aria-label=\"Compare {}\"",
              trace->id, name);
    tv_frame_add(frame, trace->state == TV_TOLD_READY ? ">" : " disabled>");
    TV_MARKUP(&frame->out, "</td><th scope=\"row\"><a href=\"{}/trace/{}/\">{}</a>",
              frame->site->base, trace->id, name);
    if (trace->title.len && !tv_str_equal(trace->title, trace->file))
        TV_MARKUP(&frame->out, "<span class=\"file\">{}</span>", trace->file);
    if (state)
        TV_MARKUP(&frame->out, "<span class=\"state\">{}</span>", tv_str_from(state));
    tv_frame_add(frame, "</th><td>");
    tv_frame_labels(frame, trace);
    TV_MARKUP(&frame->out, "</td><td class=\"number\">{}</td><td>",
              tv_say_bytes(size, trace->bytes));
    tv_frame_time(frame, trace->created_s);
    tv_frame_add(frame, "</td></tr>\n");
}

static void write_table(struct tv_frame *frame, const struct tv_told_list *list)
{
    TV_MARKUP(&frame->out,
              "<form id=\"compare\" action=\"{}/compare\">\n<div class=\"wide\">"
              "<table>\n<thead><tr><th scope=\"col\"><span class=\"unseen\">Compare</span></th>"
              "<th scope=\"col\">Trace</th><th scope=\"col\">Labels</th>"
              "<th scope=\"col\" class=\"number\">Size</th><th scope=\"col\">Uploaded</th></tr>"
              "</thead>\n<tbody>\n",
              frame->site->base);
    for (size_t i = 0; i < list->trace_count; i++)
        write_row(frame, &list->traces[i]);
    tv_frame_add(frame,
                 "</tbody>\n</table></div>\n<p class=\"actions\"><button class=\"button main\">"
                 "Compare two</button> <span class=\"quiet\" id=\"chosen\" role=\"status\">"
                 "Check two traces.</span></p>\n</form>\n");
}

static void write_steps(struct tv_frame *frame, const struct tv_told_list *list)
{
    if (list->is_first && !list->next.len)
        return;
    tv_frame_add(frame, "<nav class=\"steps\" aria-label=\"Pages of the list\">");
    if (!list->is_first) {
        TV_MARKUP(&frame->out, "<a class=\"button\" href=\"{}/list?q=", frame->site->base);
        tv_frame_parameter(frame, list->search);
        tv_frame_add(frame, "\">Newest</a> ");
    }
    if (list->next.len) {
        TV_MARKUP(&frame->out,
                  "<a class=\"button\" rel=\"next\" href=\"{}/list?q=", frame->site->base);
        tv_frame_parameter(frame, list->search);
        tv_frame_add(frame, "&amp;from=");
        tv_frame_parameter(frame, list->next);
        tv_frame_add(frame, "\">Older</a>");
    }
    tv_frame_add(frame, "</nav>\n");
}

enum tv_code tv_page_write_list(const struct tv_told_site *site, const struct tv_told_list *list,
                                struct tv_sink sink, struct tv_error *err)
{
    struct tv_frame frame;
    tv_frame_begin(&frame, site,
                   &(struct tv_frame_head){TV_STR("Traces"), "list", TV_FRAME_LIST, 0}, sink);
    tv_frame_add(&frame, "<h1>Traces</h1>\n");
    write_search(&frame, list->search);
    if (list->trace_count)
        write_table(&frame, list);
    else if (list->search.len)
        TV_MARKUP(&frame.out,
                  "<p class=\"notice\">No trace has all of “{}”. <a href=\"{}/list\">Show all</a>"
                  "</p>\n",
                  list->search, site->base);
    else
        TV_MARKUP(&frame.out,
                  "<p class=\"notice\">No trace is listed yet. <a href=\"{}/\">Upload one</a>, and "
                  "choose that it is shown here.</p>\n",
                  site->base);
    write_steps(&frame, list);
    return tv_frame_end(&frame, err);
}
