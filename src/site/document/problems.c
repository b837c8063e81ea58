/*
 * Refusals in words; see site/document/problems.h. For each status a title and an advice, since the
 * person who reads the document did not write the request.
 */
#include "site/document/problems.h"

#include <stddef.h>

#include "base/compiler.h"

static const struct tv_problem problems[] = {
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

/* Each status has words, since the document of a failure may not fail. */
const struct tv_problem *tv_problem_of(unsigned status)
{
    static const struct tv_problem unnamed = {0, "This did not work", "Go back and try again."};
    for (size_t i = 0; i < TV_COUNT_OF(problems); i++) {
        if (problems[i].status == status)
            return &problems[i];
    }
    return &unnamed;
}
