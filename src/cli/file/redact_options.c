/*
 * Options of redaction; see cli/file/redact_options.h.
 *
 * The options of redaction are shared by export, report, push and convert. --keep and --key say
 * nothing without --redact, and are refused then, once for all verbs: whoever gives them believes
 * that names are taken out.
 */
#include "cli/file/redact_options.h"

#include <stddef.h>

const char *tv_redact_lacking(const struct tv_redact_options *options)
{
    if (options->is_on)
        return NULL;
    return options->keep ? "--keep" : options->key ? "--key" : NULL;
}

struct tv_redact_opts tv_redact_opts_of(const struct tv_redact_options *options)
{
    return (struct tv_redact_opts){.keep = tv_str_from(options->keep ? options->keep : ""),
                                   .key = tv_str_from(options->key ? options->key : "")};
}
