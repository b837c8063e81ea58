/*
 * view where the command is WebAssembly: there is no server, so the trace is shown as a report, one
 * page with the trace and the viewer in it, in a file that whoever runs the module then opens in a
 * browser.
 *
 * The folder for the page comes as a variable, since WASI has no word for the folder of temporary
 * files; the file is called page.html. It is removed by nobody but the system's own tidying,
 * because the browser may ask for it again at any time.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/verb.h"
#include "cli/verb/view_word.h"
#include "os/file/paths.h"

/* Of whoever runs the module (packaging/npm/traceview.mjs). */
#define FOLDER_VARIABLE "TRACEVIEW_PAGE_FOLDER"
/* Of the report: two options with values, what ends options, and the file. */
#define WORDS 6u

struct view_options {
    bool no_browser; /* known to whoever runs the module, which opens the page */
};

/* Runs the verb report with these words. */
static int report(const struct tv_cli *cli, char *const *words, size_t word_count)
{
    union {
        uint8_t bytes[TV_VERB_VALUES];
        uint64_t alignment;
        void *pointer_alignment;
    } values = {.bytes = {0}};
    const char *of[WORDS];
    struct tv_arguments arguments = {.of = of};
    struct tv_error err = {.code = TV_OK};
    const struct tv_option_lists options = tv_verb_options(&tv_verb_report);
    if (tv_options_parse(&options, words, word_count, values.bytes, &arguments, &err) != TV_OK)
        return tv_cli_misuse(cli, "view: %s", err.text);
    return tv_verb_report.run(cli, values.bytes, &arguments);
}

static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    static char out[] = "-o";
    static char link[] = "--link";
    static char dashes[] = "--";
    static char view[TV_VIEW_MOST + 1];
    static char name[TV_PATH_CAP];
    static char path[TV_PATH_CAP];
    const char *folder = getenv(FOLDER_VARIABLE);
    (void)values;
    if (!arguments->count)
        return tv_cli_misuse(cli, "view needs FILE: this traceview has no start page");
    if (arguments->count > 1 && !tv_is_view(arguments->of[1]))
        return tv_cli_misuse(cli, "view takes FILE [#VIEW]: '%.*s' is no view of the page",
                             tv_str_shown_len(tv_str_from(arguments->of[1])), arguments->of[1]);
    int len = snprintf(path, sizeof(path), "%s/page.html", folder ? folder : ".");
    if (len < 0 || (size_t)len >= sizeof(path))
        return tv_cli_misuse(cli, "the folder of temporary files has too long a name");
    /* Options first: the file may begin with a dash. */
    char *words[WORDS] = {out, path, link, view, dashes, name};
    (void)snprintf(view, sizeof(view), "%s", arguments->count > 1 ? arguments->of[1] : "#");
    (void)snprintf(name, sizeof(name), "%s", arguments->of[0]);
    return report(cli, words, WORDS);
}

static const struct tv_option options[] = {
    {.name = "no-browser",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct view_options, no_browser),
     .help = "only write the page, and say where it is"},
};

const struct tv_verb tv_verb_view = {
    .name = "view",
    .summary = "the viewer in the browser (also without the verb)",
    .arguments = "FILE [#VIEW]",
    .argument_count = 2,
    .may_lack = 2,
    .uses_index = true,
    .options = TV_OPTIONS(options),
    .values_len = TV_VALUES_LEN(struct view_options),
    .notes = "The trace and the viewer are written as one page into the folder of temporary files, "
             "and opened there: no server runs, and nothing is sent anywhere. #VIEW is what the "
             "page's Share copies.",
    .examples = {{"traceview app.trace", "the trace in a browser"},
                 {"traceview --no-browser app.trace", "only the page, for a browser of your own"}},
    .run = run,
};
