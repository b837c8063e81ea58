/* What a site stores of whoever uses it, on one page. */
#include "pages/frame.h"

static const char always[] =
    "<dt>The file</dt><dd>As it was uploaded. Only its owner can fetch it, unless the owner lets "
    "everybody with the link do so. The same bytes are stored once, whoever uploads them.</dd>\n"
    "<dt>An index of it</dt><dd>What the pages are answered from. It holds the names of the "
    "trace’s methods, threads and source files, so whoever has the link can read these.</dd>\n"
    "<dt>What was typed</dt><dd>File name, title, note and labels; times of upload and "
    "expiry.</dd>\n"
    "<dt>The owner token</dt><dd>Only a hash of it: it cannot be read back, and a lost token "
    "cannot be sent again.</dd>\n"
    "<dt>Who uploaded</dt><dd>A hash of the network address, for the limits on uploads";

static const char never[] =
    "<h2>What is not</h2>\n<ul>\n"
    "<li>No cookies, and no account.</li>\n"
    "<li>No page asks another site for anything: no fonts, scripts or counters.</li>\n"
    "<li>Links that lead away tell no other site where they stood.</li>\n"
    "</ul>\n"
    "<h2>What your browser keeps</h2>\n<p>The pages’ scripts keep your own uploads with their "
    "owner tokens, uploads that were not finished, and the viewer’s settings, in this browser "
    "alone. Whoever uses this browser can use them.</p>\n"
    "<p id=\"forget\"></p>\n"
    "<h2>Who can see a trace</h2>\n<p>Whoever has its link. The link cannot be guessed: it has 128 "
    "random bits. Treat it as the trace itself.";

enum tv_code tv_page_write_stored(const struct tv_told_site *site,
                                  const struct tv_told_limits *limits, struct tv_sink sink,
                                  struct tv_error *err)
{
    struct tv_frame frame;
    char life[TV_FRAME_LIFE_MOST];
    tv_frame_begin(&frame, site,
                   &(struct tv_frame_head){TV_STR("What is stored"), "stored", TV_FRAME_STORED, 0},
                   sink);
    tv_frame_add(&frame, "<h1>What is stored</h1>\n<p class=\"lead\">All that this site keeps of "
                         "you and your traces.</p>\n<h2>Of each trace</h2>\n<dl>\n");
    tv_frame_add(&frame, always);
    if (limits->uploaders == TV_TOLD_NAMED_BY_PROXY)
        tv_frame_add(&frame, ", and the name that you are signed in with");
    tv_frame_add(&frame, ".</dd>\n</dl>\n<h2>For how long</h2>\n");
    TV_MARKUP(
        &frame.out,
        "<p>A trace is {}, if its uploader says nothing else. Then, or when its owner deletes "
        "it, the link ends at once; the file and its index are removed when the site next "
        "cleans up.</p>\n<p>A line of the access log tells time, address, kind of page, "
        "status and size of each request, and neither ids nor tokens. How long logs are kept "
        "is up to who runs this site.</p>\n",
        tv_frame_life(life, limits->kept_s));
    tv_frame_add(&frame, never);
    if (site->has_list)
        tv_frame_add(&frame, " Traces that their owner put into the list can be found there by "
                             "everybody who reaches this site.");
    TV_MARKUP(&frame.out,
              "</p>\n<h2>Names that may not leave</h2>\n<p>A trace holds names of your code. "
              "<code>traceview push --redact</code> replaces them by hashes before the upload: "
              "<a href=\"{}/#terminal\">how</a>.</p>\n",
              site->base);
    return tv_frame_end(&frame, err);
}
