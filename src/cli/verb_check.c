/* check: what is odd in the file, in full, and a status that a script can trust. */
#include "analysis/health.h"
#include "cli/findings.h"
#include "cli/load.h"
#include "cli/question.h"
#include "cli/verb.h"

struct check_options {
    bool json;
    bool strict;
};

/* A trace below "numbers affected" is fine; --strict takes nothing at all. */
static int judge(const struct tv_index *index, bool is_strict)
{
    enum tv_severity worst;
    if (!tv_health_worst(index, &worst))
        return TV_STATUS_FINE;
    return is_strict || worst >= TV_SEVERITY_NUMBERS_AFFECTED ? TV_STATUS_BELOW : TV_STATUS_FINE;
}

static void add_overflow(struct tv_text *out, const struct tv_index *index)
{
    struct tv_overflow overflow;
    if (!tv_health_overflow(index, &overflow))
        return;
    tv_text_add(out, "overflow: the last ");
    tv_text_add_time(out, overflow.missing_ns);
    tv_text_add(out, " of ");
    tv_text_add_time(out, overflow.run_ns);
    tv_text_add(out, " is missing; a buffer of %llu MiB would have held all of it at that rate.\n",
                (unsigned long long)(overflow.buffer_len >> 20));
}

static int print_text(const struct tv_cli *cli, const char *file, const struct tv_index *index)
{
    struct tv_text out;
    int status = TV_STATUS_FINE;
    tv_text_init(&out, cli->alloc);
    tv_text_add_name(&out, tv_file_label(file));
    tv_text_add(&out, ": %s, ", index->info->format_name);
    tv_text_add_count(&out, index->info->records);
    tv_text_add(&out, " records\n");
    unsigned count = tv_findings_print(&out, index, "");
    add_overflow(&out, index);
    if (index->info->is_sampled)
        tv_text_add(&out, "note: looks sampled: call counts are runs of samples, not calls\n");
    if (!count)
        tv_text_add(&out, "nothing odd\n");
    if (out.code == TV_OK) {
        tv_cli_answer(cli, tv_text_view(&out));
    } else {
        struct tv_error err = {.code = out.code, .offset = TV_NO_OFFSET, .text = "no memory"};
        status = tv_cli_fail(cli, file, &err);
    }
    tv_text_release(&out);
    return status;
}

static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct check_options *options = values;
    const char *file = arguments->of[0];
    struct tv_index index;
    tv_index_init(&index);
    int status = tv_load_for_verb(cli, file, TV_HEALTH_QUIET, &index);
    if (status == TV_STATUS_FINE && options->json) {
        struct tv_question question;
        tv_question_init(&question, cli, file, &index);
        status = tv_question_answer_json(&question, "check");
        tv_question_release(&question);
    } else if (status == TV_STATUS_FINE) {
        status = print_text(cli, file, &index);
    }
    if (status == TV_STATUS_FINE)
        status = judge(&index, options->strict);
    tv_index_release(&index);
    return status;
}

static const struct tv_option options[] = {
    {.name = "strict",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct check_options, strict),
     .help = "status 3 for notes too"},
    {.name = "json",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct check_options, json),
     .help = "the answer as JSON"},
};

const struct tv_verb tv_verb_check = {
    .name = "check",
    .summary = "what is odd in the file; status 3 when numbers are affected",
    .arguments = "FILE",
    .argument_count = 1,
    .options = TV_OPTIONS(options),
    .values_len = sizeof(struct check_options),
    .run = run,
};
