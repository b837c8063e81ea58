/*
 * info: a first look at a trace: what kind it is, its threads, and what was odd about it, as the
 * index has it; and where the time went (cli/answers/info_summary.h).
 *
 * A trace of many threads has a screenful of them: -n says how many, and the sum is always of all.
 */
#include "api/answers.h"
#include "base/error.h"
#include "cli/answers/findings.h"
#include "cli/answers/info_summary.h"
#include "cli/answers/info_threads.h"
#include "cli/answers/question.h"
#include "cli/file/load.h"
#include "cli/verb.h"

struct info_options {
    uint64_t count;
    bool json;
};

/* Labels are padded to one width, so that what follows stands in a column; the longest is "Recorded
 * by". */
static void add_label(struct tv_text *out, const char *label)
{
    tv_text_add(out, "%-11s", label);
}

/* Adds the format and its clocks, and which process on which VM recorded the trace, if that is
 * known. */
static void add_format(struct tv_text *out, const struct tv_index *index)
{
    const struct tv_index_info *info = index->info;
    add_label(out, "Format");
    tv_text_add(out, "%s, ", info->format_name);
    bool has_wall = info->has_clock[TV_CLOCK_WALL];
    bool has_cpu = info->has_clock[TV_CLOCK_CPU];
    if (!has_wall && !has_cpu) {
        tv_text_add(out, "no clock\n");
        return;
    }
    if (has_wall && has_cpu)
        tv_text_add(out, "wall and CPU clock");
    else
        tv_text_add(out, "%s clock only,", has_wall ? "wall" : "CPU");
    tv_text_add(out, " in %s", info->unit_ns == 1 ? "nanoseconds" : "microseconds");
    if (!info->has_common_axis)
        tv_text_add(out, ", each thread from 0");
    tv_text_add(out, "%s\n",
                info->is_sampled ? "; looks sampled: call counts are runs of samples" : "");
    if (!info->vm_len && !info->has_pid)
        return;
    add_label(out, "Recorded by");
    tv_text_add(out, info->vm_len ? " " : "");
    tv_text_add_name(out, tv_index_text(index, info->vm_off, info->vm_len));
    if (info->has_pid)
        tv_text_add(out, "%sprocess %llu", info->vm_len ? ", " : " ",
                    (unsigned long long)info->pid);
    tv_text_add(out, "\n");
}

/* Adds how long the trace is and how much is in it. Methods with calls are counted; where the file
 * describes others, too, that number follows. */
static void add_totals(struct tv_text *out, const struct tv_index *index)
{
    const struct tv_index_info *info = index->info;
    add_label(out, "Duration");
    tv_text_add_time(out, info->elapsed_ns);
    /* Ranges of time end with the records, whatever the header says. */
    if (info->elapsed_ns != tv_axis_len_ns(index)) {
        tv_text_add(out, " by the header, records up to ");
        tv_text_add_time(out, tv_axis_len_ns(index));
    }
    if (info->has_clock[TV_CLOCK_CPU]) {
        tv_text_add(out, "; CPU time of all threads ");
        tv_text_add_time(out, info->total[TV_CLOCK_CPU] * info->unit_ns);
    }
    tv_text_add(out, "\n");
    add_label(out, "Records");
    tv_text_add_count(out, info->records);
    tv_text_add(out, " in ");
    tv_text_add_size(out, info->file_len);
    tv_text_add(out, "\n");
    add_label(out, info->is_sampled ? "Runs" : "Calls");
    tv_text_add_count(out, info->calls);
    tv_text_add(out, " of ");
    tv_text_add_count(out, info->ranked_count);
    tv_text_add(out, info->ranked_count == 1 ? " method" : " methods");
    uint64_t unknown_count = info->findings.of[TV_FINDING_UNKNOWN_METHOD].count;
    if (info->ranked_count != index->method_count || unknown_count) {
        tv_text_add(out, " (");
        tv_text_add_count(out, index->method_count - unknown_count);
        tv_text_add(out, " described)");
    }
    tv_text_add(out, ", in ");
    tv_text_add_count(out, index->node_count);
    tv_text_add(out, index->node_count == 1 ? " calling context\n" : " calling contexts\n");
}

/* `look` carries what the first parts found to the commands at the end, which name it. */
static enum tv_code write_text(const struct tv_asking *asking, const void *values,
                               struct tv_text *out, struct tv_error *err)
{
    const struct info_options *options = values;
    struct tv_info_summary look;
    add_label(out, "File");
    tv_text_add_name(out, tv_file_label(asking->file));
    tv_text_add(out, "\n");
    add_format(out, asking->index);
    add_totals(out, asking->index);
    tv_info_summary_init(&look, asking);
    enum tv_code code = tv_info_summary_add_frame(&look, asking, out, err);
    if (code == TV_OK)
        code = tv_info_add_threads(out, asking, options->count, err);
    if (code == TV_OK)
        code = tv_info_summary_add_own(&look, asking, out, err);
    (void)tv_findings_print(out, asking->index, "\nFindings\n");
    tv_info_summary_add_next(&look, asking, out);
    tv_info_summary_release(&look);
    return code;
}

static enum tv_code write_json(const struct tv_api *api, const void *values, struct tv_buffer *body,
                               struct tv_error *err)
{
    (void)values;
    return tv_answer_info(api, body, err);
}

static const struct tv_question_plan plan = {.write_json = write_json, .write_text = write_text};

/* Warns of findings with --json only: the answer for people has them, and need not tell them twice.
 */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct info_options *options = values;
    struct info_options meant = *options;
    const char *file = arguments->of[0];
    struct tv_index index;
    tv_index_init(&index);
    int status =
        tv_load_for_verb(cli, file, options->json ? TV_WARNINGS_TOLD : TV_WARNINGS_UNTOLD, &index);
    if (status == TV_STATUS_FINE)
        status = tv_question_answer(cli, file, &index, &plan, &meant, options->json);
    tv_index_release(&index);
    return status;
}

static const struct tv_option options[] = {
    {.letter = 'n',
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct info_options, count),
     .argument = "COUNT",
     .help = "how many threads; 0 is all (8)",
     .most = UINT32_MAX},
    {.name = "json",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct info_options, json),
     .help = "the answer as JSON",
     .group = TV_GROUP_OUTPUT},
};

static const struct info_options defaults = {.count = 8};

const struct tv_verb tv_verb_info = {
    .name = "info",
    .summary = "a first look: clocks, threads, worst frame, top methods",
    .arguments = "FILE",
    .argument_count = 1,
    .uses_index = true,
    .prints_tables = true,
    .options = TV_OPTIONS(options),
    .defaults = &defaults,
    .values_len = TV_VALUES_LEN(struct info_options),
    .examples = {{"traceview info app.trace", "what kind of trace it is, and where its time went"},
                 {"traceview info --json app.trace", "the same for a program"}},
    .run = run,
};
