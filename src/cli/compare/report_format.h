/* The formats in which a comparison, or verdicts of rules, are written. */
#ifndef TV_CLI_COMPARE_REPORT_FORMAT_H
#define TV_CLI_COMPARE_REPORT_FORMAT_H

#include <stdbool.h>

enum tv_report_format {
    TV_REPORT_TEXT,
    TV_REPORT_JSON,
    TV_REPORT_MARKDOWN,
    TV_REPORT_JUNIT,
    TV_REPORT_SARIF,
};

/* What users call them, by number; ends with NULL. */
extern const char *const tv_report_format_words[];

/* The options of a verb that has both --as and --json. */
struct tv_report_options {
    const char *as; /* NULL: not given */
    bool json;
};

/* Whether both options are given and ask for two formats. */
bool tv_report_options_disagree(const struct tv_report_options *options);
enum tv_report_format tv_report_format_of(const struct tv_report_options *options);

#endif
