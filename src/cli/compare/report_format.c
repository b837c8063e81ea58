/*
 * The words of --as for comparisons and verdicts, and which format --as and --json ask for
 * together: --json is a short form of --as json, so only another word beside it is a contradiction.
 * What writes each format is chosen by the verbs that take these options.
 */
#include "cli/compare/report_format.h"

#include <stddef.h>
#include <string.h>

#include "cli/options.h"

const char *const tv_report_format_words[] = {
    [TV_REPORT_TEXT] = "text",   [TV_REPORT_JSON] = "json",   [TV_REPORT_MARKDOWN] = "markdown",
    [TV_REPORT_JUNIT] = "junit", [TV_REPORT_SARIF] = "sarif", [TV_REPORT_SARIF + 1] = NULL};

bool tv_report_options_disagree(const struct tv_report_options *options)
{
    return options->json && options->as &&
           strcmp(options->as, tv_report_format_words[TV_REPORT_JSON]) != 0;
}

enum tv_report_format tv_report_format_of(const struct tv_report_options *options)
{
    if (options->json)
        return TV_REPORT_JSON;
    return options->as
               ? (enum tv_report_format)tv_choice_position(tv_report_format_words, options->as)
               : TV_REPORT_TEXT;
}
