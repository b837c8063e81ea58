/* The start page: the form of an upload, an example, and how to record a trace. */
#include "pages/field.h"
#include "pages/say.h"

/* A picture of a stack of calls, as the viewer's timeline draws it. */
static const char picture[] =
    "<svg class=\"picture\" viewBox=\"0 0 132 46\" aria-hidden=\"true\">"
    "<rect class=\"c0\" x=\"0\" y=\"0\" width=\"132\" height=\"10\" rx=\"2.5\"/>"
    "<rect class=\"c1\" x=\"6\" y=\"12\" width=\"78\" height=\"10\" rx=\"2.5\"/>"
    "<rect class=\"c2\" x=\"90\" y=\"12\" width=\"36\" height=\"10\" rx=\"2.5\"/>"
    "<rect class=\"c3\" x=\"12\" y=\"24\" width=\"22\" height=\"10\" rx=\"2.5\"/>"
    "<rect class=\"c4\" x=\"37\" y=\"24\" width=\"40\" height=\"10\" rx=\"2.5\"/>"
    "<rect class=\"c3\" x=\"96\" y=\"24\" width=\"14\" height=\"10\" rx=\"2.5\"/>"
    "<rect class=\"c2\" x=\"42\" y=\"36\" width=\"12\" height=\"10\" rx=\"2.5\"/>"
    "<rect class=\"c1\" x=\"57\" y=\"36\" width=\"16\" height=\"10\" rx=\"2.5\"/></svg>\n";

static void write_drop(struct tv_frame *frame, const struct tv_told_limits *limits)
{
    char size[TV_SAY_MOST];
    char life[TV_FRAME_LIFE_MOST];
    tv_frame_add(frame, "<div class=\"drop\">\n");
    tv_frame_add(frame, picture);
    tv_frame_add(frame,
                 "<label for=\"file\"><b>Choose a trace</b><span class=\"scripted\"> or drop files "
                 "here</span></label>\n"
                 "<input id=\"file\" type=\"file\" name=\"trace_file\" required "
                 "aria-describedby=\"file-help\">\n<p id=\"file-help\">"
                 ".trace of any version, also .gz and .zst");
    if (limits->most_bytes)
        TV_MARKUP(&frame->out, "; up to {}", tv_say_bytes(size, limits->most_bytes));
    TV_MARKUP(&frame->out, "; {}</p>\n</div>\n", tv_frame_life(life, limits->kept_s));
}

static void write_form(struct tv_frame *frame, const struct tv_told_limits *limits)
{
    TV_MARKUP(&frame->out,
              "<form id=\"upload\" action=\"{}/upload_trace\" method=\"post\" "
              "enctype=\"multipart/form-data\" ",
              frame->site->base);
    tv_out_add(&frame->out, "data-most=\"%llu\" data-piece=\"%llu\">\n",
               (unsigned long long)limits->most_bytes, (unsigned long long)limits->piece_bytes);
    tv_frame_add(frame, "<input type=\"hidden\" name=\"page\" value=\"1\">\n");
    /* Whoever may not upload is told so before the file is sent: the secret stands before it. */
    if (limits->uploaders == TV_TOLD_WITH_SECRET)
        tv_field_line(frame, &(struct tv_field){"secret", "Upload secret of this site",
                                                "type=\"password\" autocomplete=\"off\" required",
                                                TV_STR("")});
    write_drop(frame, limits);
    tv_frame_add(frame, "<details><summary>Title, labels and how long it is kept</summary>\n");
    tv_field_about(frame, NULL);
    tv_field_life(frame, limits, "as usual here");
    if (frame->site->has_list)
        tv_field_truth(frame, "listed", "Show it in the list of this site", false);
    tv_field_truth(frame, "raw_shared", "Whoever has the link may download the file", false);
    tv_frame_add(
        frame,
        "</details>\n<p class=\"actions\"><button class=\"button main\">Upload</button></p>\n"
        "</form>\n<div id=\"uploads\"></div>\n");
}

/* Who may not upload is told why, in place of the form. */
static const char *refusal_of(const struct tv_told_site *site, const struct tv_told_limits *limits)
{
    switch (limits->uploaders) {
    case TV_TOLD_NOBODY:
        return "This site takes no uploads. Traces that are there can be looked at.";
    case TV_TOLD_NAMED_BY_PROXY:
        return site->user.len ? NULL : "Sign in to upload: this site does not know who you are.";
    case TV_TOLD_ANYBODY:
    case TV_TOLD_WITH_SECRET:
        break;
    }
    return NULL;
}

static void write_sample(struct tv_frame *frame, struct tv_str sample)
{
    if (!sample.len)
        return;
    TV_MARKUP(&frame->out,
              "<a class=\"card\" href=\"{}/trace/{}/\"><b>Look at an example</b>"
              "<span>A small app that loads recipes: one of its 14 loads is slow. Five threads, "
              "400,000 calls.</span></a>\n",
              frame->site->base, sample);
}

static const char recording[] =
    "<section class=\"recording\" aria-labelledby=\"recording\">\n"
    "<h2 id=\"recording\">How to record a trace</h2>\n"
    "<ol>\n"
    "<li>Start: <code>adb shell am profile start PROCESS /data/local/tmp/app.trace</code></li>\n"
    "<li>Use the app, then stop: <code>adb shell am profile stop PROCESS</code></li>\n"
    "<li>Fetch: <code>adb pull /data/local/tmp/app.trace</code></li>\n"
    "</ol>\n"
    "<p>PROCESS is the name of the app, such as <code>com.example.shop</code>, which must be "
    "debuggable or profileable. In the app itself: <code>Debug.startMethodTracing(\"app\")</code> "
    "and <code>Debug.stopMethodTracing()</code>. For recordings that take long, add "
    "<code>--sampling 1000</code> behind <code>start</code>.</p>\n"
    "</section>\n";

static void write_terminal(struct tv_frame *frame)
{
    const struct tv_told_site *site = frame->site;
    TV_MARKUP(
        &frame->out,
        "<section class=\"terminal\" aria-labelledby=\"terminal\">\n"
        "<h2 id=\"terminal\">From a terminal, and without the names</h2>\n"
        "<p>An upload that breaks off goes on where it was:</p>\n"
        "<pre><code>traceview push --to {}{}/ app.trace</code></pre>\n"
        "<p>A trace holds the names of your classes, methods, threads and source files. This "
        "replaces them by hashes before anything leaves your machine, and keeps the names of the "
        "platform:</p>\n"
        "<pre><code>traceview push --redact --keep java.,android. --to {}{}/ app.trace"
        "</code></pre>\n</section>\n",
        site->origin, site->base, site->origin, site->base);
}

enum tv_code tv_page_write_start(const struct tv_told_site *site,
                                 const struct tv_told_limits *limits, struct tv_str sample,
                                 struct tv_sink sink, struct tv_error *err)
{
    struct tv_frame frame;
    const char *refusal = refusal_of(site, limits);
    tv_frame_begin(
        &frame, site,
        &(struct tv_frame_head){TV_STR("Share a method trace"), "start", TV_FRAME_START, 0}, sink);
    tv_frame_add(&frame, "<h1>Share a method trace</h1>\n<p class=\"lead\">Upload it and send the "
                         "link: whoever has the link sees where the time went.</p>\n"
                         "<div class=\"columns\">\n<div>\n");
    if (refusal)
        TV_MARKUP(&frame.out, "<p class=\"notice\">{}</p>\n", tv_str_from(refusal));
    else
        write_form(&frame, limits);
    tv_frame_add(&frame, "</div>\n<div>\n<div id=\"mine\"></div>\n");
    write_sample(&frame, sample);
    tv_frame_add(&frame, recording);
    write_terminal(&frame);
    tv_frame_add(&frame, "</div>\n</div>\n");
    return tv_frame_end(&frame, err);
}
