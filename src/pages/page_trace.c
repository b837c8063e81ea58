/* Pages of one trace while it is not shown: just uploaded, waiting, bad; and its owner's. */
#include "pages/field.h"
#include "pages/say.h"

static void write_link(struct tv_frame *frame, const struct tv_told_trace *trace)
{
    const struct tv_told_site *site = frame->site;
    TV_MARKUP(&frame->out, "<p class=\"copied\"><a href=\"{}/trace/{}/\">{}{}/trace/{}/</a></p>\n",
              site->base, trace->id, site->origin, site->base, trace->id);
}

enum tv_code tv_page_write_uploaded(const struct tv_told_site *site,
                                    const struct tv_told_trace *trace, struct tv_str owner_token,
                                    struct tv_sink sink, struct tv_error *err)
{
    struct tv_frame frame;
    tv_frame_begin(&frame, site,
                   &(struct tv_frame_head){TV_STR("Uploaded"), "uploaded", TV_FRAME_ELSEWHERE, 0},
                   sink);
    TV_MARKUP(&frame.out, "<h1>Uploaded: {}</h1>\n<p>The link to send:</p>\n",
              tv_frame_name_of(trace));
    write_link(&frame, trace);
    TV_MARKUP(&frame.out,
              "<h2>Your owner token</h2>\n<p>It is shown this once. Whoever has it can change and "
              "delete the trace, <a href=\"{}/trace/{}/owner\">here</a>:</p>\n"
              "<p class=\"copied\"><code>{}</code></p>\n"
              "<p class=\"actions\"><a class=\"button main\" href=\"{}/trace/{}/\">Look at the "
              "trace</a> <a class=\"button\" href=\"{}/\">Upload another</a></p>\n",
              site->base, trace->id, owner_token, site->base, trace->id, site->base);
    return tv_frame_end(&frame, err);
}

static void write_progress(struct tv_frame *frame, const struct tv_told_trace *trace)
{
    tv_frame_add(frame, "<p><progress id=\"progress\" aria-labelledby=\"state\"></progress></p>\n"
                        "<p id=\"state\" role=\"status\">");
    if (trace->state == TV_TOLD_READING)
        tv_frame_add(frame, "It is being read.");
    else if (trace->place > 1)
        TV_MARKUP(&frame->out, "It waits for its turn: place {} in the queue.",
                  tv_str_of_count((char[TV_STR_COUNT_MOST]){0}, trace->place));
    else
        tv_frame_add(frame, "It waits for its turn.");
    tv_frame_add(frame, "</p>\n");
}

enum tv_code tv_page_write_waiting(const struct tv_told_site *site,
                                   const struct tv_told_trace *trace, struct tv_sink sink,
                                   struct tv_error *err)
{
    struct tv_frame frame;
    tv_frame_begin(&frame, site,
                   &(struct tv_frame_head){TV_STR("Processing"), "waiting", TV_FRAME_ELSEWHERE, 3},
                   sink);
    tv_frame_add(&frame, "<div class=\"middle\">\n");
    TV_MARKUP(&frame.out, "<h1>Processing {}</h1>\n", tv_frame_name_of(trace));
    write_progress(&frame, trace);
    tv_frame_add(&frame, "<p class=\"quiet\">This page shows the trace as soon as it is read. The "
                         "link stays the same, so it can be sent now:</p>\n");
    write_link(&frame, trace);
    tv_frame_facts(&frame, trace);
    tv_frame_labels(&frame, trace);
    tv_frame_add(&frame, "</div>\n");
    return tv_frame_end(&frame, err);
}

enum tv_code tv_page_write_bad(const struct tv_told_site *site, const struct tv_told_trace *trace,
                               struct tv_sink sink, struct tv_error *err)
{
    struct tv_frame frame;
    tv_frame_begin(
        &frame, site,
        &(struct tv_frame_head){TV_STR("This trace cannot be shown"), "bad", TV_FRAME_ELSEWHERE, 0},
        sink);
    TV_MARKUP(
        &frame.out,
        "<h1>This trace cannot be shown</h1>\n<p class=\"notice bad\">{}: {}</p>\n"
        "<h2>What to do</h2>\n<ul>\n"
        "<li>See that the file is whole: the recording must have been stopped before "
        "<code>adb pull</code>.</li>\n"
        "<li>Ask what is wrong with it: <code>traceview check {}</code></li>\n"
        "<li><a href=\"{}/\">Upload it again</a>, or another one.</li>\n"
        "<li>If the file is right and this page is wrong, say so to who keeps this site.</li>\n"
        "</ul>\n",
        tv_frame_name_of(trace), trace->reason.len ? trace->reason : TV_STR("it is not readable"),
        trace->file, site->base);
    tv_frame_facts(&frame, trace);
    tv_frame_labels(&frame, trace);
    TV_MARKUP(
        &frame.out,
        "<p class=\"actions\"><a class=\"button\" href=\"{}/trace/{}/owner\">Change or delete "
        "it</a></p>\n",
        site->base, trace->id);
    return tv_frame_end(&frame, err);
}

static void write_token(struct tv_frame *frame, const struct tv_told_trace *trace, const char *id)
{
    TV_MARKUP(&frame->out,
              "<p class=\"field\"><label for=\"{}\">Owner token</label><input id=\"{}\" "
              "name=\"owner_token\" class=\"token\" data-trace=\"{}\" autocomplete=\"off\" "
              "spellcheck=\"false\" required pattern=\"[0-9a-f]{32}\" "
              "title=\"32 digits and letters from a to f\"></p>\n",
              tv_str_from(id), tv_str_from(id), trace->id);
}

static void begin_form(struct tv_frame *frame, const struct tv_told_trace *trace,
                       const char *action)
{
    TV_MARKUP(&frame->out,
              "<form action=\"{}/trace/{}/owner\" method=\"post\">\n"
              "<input type=\"hidden\" name=\"action\" value=\"{}\">\n",
              frame->site->base, trace->id, tv_str_from(action));
}

enum tv_code tv_page_write_owner(const struct tv_told_site *site, const struct tv_told_trace *trace,
                                 const struct tv_told_limits *limits, struct tv_str problem,
                                 struct tv_sink sink, struct tv_error *err)
{
    struct tv_frame frame;
    tv_frame_begin(
        &frame, site,
        &(struct tv_frame_head){TV_STR("Change or delete"), "owner", TV_FRAME_ELSEWHERE, 0}, sink);
    TV_MARKUP(&frame.out, "<h1>Change or delete: {}</h1>\n", tv_frame_name_of(trace));
    if (problem.len)
        TV_MARKUP(&frame.out, "<p class=\"notice bad\" role=\"alert\">{}</p>\n", problem);
    tv_frame_facts(&frame, trace);
    begin_form(&frame, trace, "save");
    write_token(&frame, trace, "token-save");
    tv_field_about(&frame, trace);
    tv_field_life(&frame, limits, "as it is");
    if (site->has_list)
        tv_field_truth(&frame, "listed", "Show it in the list of this site", trace->is_listed);
    tv_field_truth(&frame, "raw_shared", "Whoever has the link may download the file",
                   trace->is_shared);
    TV_MARKUP(&frame.out,
              "<p class=\"actions\"><button class=\"button main\">Save</button> "
              "<a class=\"button\" href=\"{}/trace/{}/\">Back to the trace</a></p>\n</form>\n"
              "<h2>Delete</h2>\n<p>The link ends at once, for everybody, and the file is removed. "
              "There is no way back.</p>\n",
              site->base, trace->id);
    begin_form(&frame, trace, "delete");
    write_token(&frame, trace, "token-delete");
    tv_frame_add(&frame, "<p class=\"actions\"><button class=\"button danger\">Delete the trace"
                         "</button></p>\n</form>\n");
    return tv_frame_end(&frame, err);
}
