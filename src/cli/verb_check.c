/*
 * check: what is odd in the file, in full, and a status that a script can rely on: 3 where numbers
 * are affected, so that a build can refuse a trace before it compares anything with it.
 */
#include "analysis/health.h"
#include "api/answers.h"
#include "cli/findings.h"
#include "cli/load.h"
#include "cli/question.h"
#include "cli/verb.h"

struct check_options {
    bool json;
    bool strict;
};

/* The status of a trace: findings below "numbers affected" are fine, unless --strict refuses all.
 */
static int judge(const struct tv_index *index, bool is_strict)
{
    enum tv_severity worst;
    if (!tv_health_worst(index, &worst))
        return TV_STATUS_FINE;
    return is_strict || worst >= TV_SEVERITY_NUMBERS_AFFECTED ? TV_STATUS_BELOW : TV_STATUS_FINE;
}

/* Adds what was lost after the last record, and the size of a buffer that would have held it. */
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

static enum tv_code write_text(const struct tv_asking *asking, const void *asked,
                               struct tv_text *out, struct tv_error *err)
{
    (void)asked;
    (void)err;
    const struct tv_index *index = asking->index;
    tv_text_add_name(out, tv_file_label(asking->file));
    tv_text_add(out, ": %s, ", index->info->format_name);
    tv_text_add_count(out, index->info->records);
    tv_text_add(out, " records\n");
    unsigned count = tv_findings_print(out, index, "");
    add_overflow(out, index);
    if (index->info->is_sampled)
        tv_text_add(out, "note: looks sampled: call counts are runs of samples, not calls\n");
    if (!count)
        tv_text_add(out, "nothing odd\n");
    return TV_OK;
}

static enum tv_code write_json(const struct tv_api *api, const void *asked, struct tv_buffer *body,
                               struct tv_error *err)
{
    (void)asked;
    return tv_answer_check(api, body, err);
}

static const struct tv_question_plan plan = {.write_json = write_json, .write_text = write_text};

static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct check_options *options = values;
    const char *file = arguments->of[0];
    struct tv_index index;
    tv_index_init(&index);
    int status = tv_load_for_verb(cli, file, TV_WARNINGS_UNTOLD, &index);
    if (status == TV_STATUS_FINE) {
        /* Judged first: the answer ends with a look at whether the index is still what it was. */
        int verdict = judge(&index, options->strict);
        status = tv_question_answer(cli, file, &index, &plan, NULL, options->json);
        status = status == TV_STATUS_FINE ? verdict : status;
    }
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
    .uses_index = true,
    .prints_tables = true,
    .options = TV_OPTIONS(options),
    .values_len = sizeof(struct check_options),
    .run = run,
};
