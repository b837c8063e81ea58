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

/* The schema that a SARIF log names. */
#define TV_SARIF_SCHEMA                                                                            \
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

#endif
