/* Refusals, by their HTTP status: what happened, why, and what to do. */
#include "pages/frame.h"

struct problem {
    unsigned status;
    const char *title, *advice;
};

static const struct problem problems[] = {
    {400, "This request cannot be read", "Go back and try again."},
    {401, "This needs a token", "Use the owner token that the upload was answered with."},
    {403, "This is not allowed here", "If you should be let in, ask who runs this site."},
    {404, "Nothing is here", "Look whether the link is whole, or ask who sent it."},
    {405, "This cannot be done here", "Go back and try again."},
    {408, "The upload took too long", "Try again; the upload goes on where it was."},
    {409, "Something changed meanwhile", "Load the page again."},
    {410, "This trace is gone", "Its time is over, or its owner deleted it."},
    {411, "The length is missing", "Send a Content-Length, or upload in pieces."},
    {413, "This trace is too large",
     "Record for a shorter time, or with sampling; or pack the file with gzip or zstd."},
    {415, "This is not a method trace",
     "Traces of Debug.startMethodTracing, am profile and Android Studio are read, also as .gz and "
     ".zst."},
    {416, "There is no such part", "Fetch the whole file."},
    {422, "What arrived is not what was sent", "Upload it again."},
    {429, "Too much at once", "Wait a little, then try again."},
    {500, "Something went wrong here", "Try again; if it stays so, tell who runs this site."},
    {503, "The site is busy", "Try again in a moment."},
    {507, "The site is full", "Delete traces that are not needed, or tell who runs this site."},
};

static const struct problem *find(unsigned status)
{
    static const struct problem unnamed = {0, "This did not work", "Go back and try again."};
    for (size_t i = 0; i < TV_COUNT_OF(problems); i++) {
        if (problems[i].status == status)
            return &problems[i];
    }
    return &unnamed;
}

enum tv_code tv_page_write_problem(const struct tv_told_site *site, unsigned status,
                                   struct tv_str reason, struct tv_sink sink, struct tv_error *err)
{
    struct tv_frame frame;
    const struct problem *problem = find(status);
    struct tv_str title = tv_str_from(problem->title);
    tv_frame_begin(&frame, site, &(struct tv_frame_head){title, "problem", TV_FRAME_ELSEWHERE, 0},
                   sink);
    tv_out_add(&frame.out, "<div class=\"middle\">\n<p class=\"status\">%u</p>\n", status);
    TV_MARKUP(&frame.out, "<h1>{}</h1>\n", title);
    if (reason.len)
        TV_MARKUP(&frame.out, "<p class=\"notice bad\">{}</p>\n", reason);
    TV_MARKUP(&frame.out,
              "<p>{}</p>\n<p class=\"actions\"><a class=\"button\" href=\"{}/\">To the "
              "start page</a></p>\n</div>\n",
              tv_str_from(problem->advice), site->base);
    return tv_frame_end(&frame, err);
}
