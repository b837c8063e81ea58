/*
 * check --against; see cli/compare/diff_check.h.
 *
 * A kind of finding is new, gone, or in both, with its count on either side. Counts grow with a
 * trace, so only a kind that was not there before makes a status: a build whose traces always have
 * some can be held to have no others.
 */
#include "cli/compare/diff_check.h"

#include "api/answers.h"
#include "base/finding.h"
#include "cli/answers/question.h"
#include "cli/compare/diff_json.h"
#include "cli/terminal/table.h"
#include "compare/change.h"

struct against {
    const struct tv_check_against *check;
    const struct tv_index_info *sides[TV_SIDE_COUNT];
    bool is_worse;
};

static uint64_t count_on(const struct against *against, enum tv_side side,
                         enum tv_finding_kind kind)
{
    return against->sides[side]->findings.of[kind].count;
}

static const char *standing_of(const struct against *against, enum tv_finding_kind kind)
{
    uint64_t before = count_on(against, TV_SIDE_OLD, kind);
    uint64_t now = count_on(against, TV_SIDE_NEW, kind);
    if (!before || !now)
        return before ? "gone" : "new";
    if (before == now)
        return "as often";
    return now > before ? "more" : "fewer";
}

static bool is_on_any(const struct against *against, enum tv_finding_kind kind)
{
    return count_on(against, TV_SIDE_OLD, kind) || count_on(against, TV_SIDE_NEW, kind);
}

/* Whether the new trace is worse than the old one was. */
static bool is_worse(const struct against *against)
{
    for (unsigned i = 0; i < TV_FINDING_KIND_COUNT; i++) {
        enum tv_finding_kind kind = (enum tv_finding_kind)i;
        bool is_new = !count_on(against, TV_SIDE_OLD, kind) && count_on(against, TV_SIDE_NEW, kind);
        if (is_new && (against->check->is_strict || tv_finding_severity(kind) != TV_SEVERITY_NOTE))
            return true;
    }
    return !against->sides[TV_SIDE_NEW]->records;
}

static enum tv_code fill(struct tv_asking *asking, void *values, struct tv_error *err)
{
    struct against *against = values;
    (void)err;
    against->sides[TV_SIDE_NEW] = asking->traces[0].index->info;
    against->sides[TV_SIDE_OLD] = asking->traces[1].index->info;
    against->is_worse = is_worse(against);
    return TV_OK;
}

static void add_side(const struct against *against, enum tv_side side, const char *file,
                     struct tv_text *out)
{
    const struct tv_index_info *info = against->sides[side];
    tv_text_add(out, side == TV_SIDE_OLD ? "old: " : "new: ");
    tv_text_add_name(out, tv_file_label(file));
    tv_text_add(out, ": %s, ", info->format_name);
    tv_text_add_count(out, info->records);
    tv_text_add(out, " records%s\n", info->is_sampled ? "; looks sampled" : "");
}

static void add_rows(const struct against *against, struct tv_text_table *table)
{
    for (unsigned i = 0; i < TV_FINDING_KIND_COUNT; i++) {
        enum tv_finding_kind kind = (enum tv_finding_kind)i;
        if (!is_on_any(against, kind))
            continue;
        tv_table_count(table, count_on(against, TV_SIDE_OLD, kind));
        tv_table_count(table, count_on(against, TV_SIDE_NEW, kind));
        tv_table_name(table, tv_str_from(standing_of(against, kind)));
        tv_table_name(table, tv_str_from(tv_severity_name(tv_finding_severity(kind))));
        tv_table_name(table, tv_str_from(tv_finding_name(kind)));
    }
}

/* The worst kinds do not come first: the table has the order of `check`, which is that of a file.
 */
static enum tv_code write_text(const struct tv_asking *asking, const void *values,
                               struct tv_text *out, struct tv_error *err)
{
    const struct against *against = values;
    struct tv_text_table table;
    bool has_any = false;
    add_side(against, TV_SIDE_OLD, asking->traces[1].file, out);
    add_side(against, TV_SIDE_NEW, asking->traces[0].file, out);
    tv_text_add(out, "\n");
    for (unsigned i = 0; i < TV_FINDING_KIND_COUNT; i++)
        has_any = has_any || is_on_any(against, (enum tv_finding_kind)i);
    if (!has_any) {
        tv_text_add(out, "nothing odd in either\n");
        return TV_OK;
    }
    tv_table_init(&table, asking->cli);
    tv_table_column(&table, "Old", TV_ALIGN_RIGHT);
    tv_table_column(&table, "New", TV_ALIGN_RIGHT);
    tv_table_column(&table, "Change", TV_ALIGN_LEFT);
    tv_table_column(&table, "Severity", TV_ALIGN_LEFT);
    tv_table_column(&table, "Finding", TV_ALIGN_LEFT);
    add_rows(against, &table);
    enum tv_code code = tv_table_write(&table, out, err);
    tv_table_release(&table);
    return code;
}

static void write_changes(struct tv_json *json, const void *ctx)
{
    const struct against *against = ctx;
    tv_json_open_array(json);
    for (unsigned i = 0; i < TV_FINDING_KIND_COUNT; i++) {
        enum tv_finding_kind kind = (enum tv_finding_kind)i;
        if (!is_on_any(against, kind))
            continue;
        tv_json_open_object(json);
        tv_json_key_text(json, "finding", tv_finding_name(kind));
        tv_json_key_text(json, "severity", tv_severity_name(tv_finding_severity(kind)));
        tv_json_key_text(json, "change", standing_of(against, kind));
        tv_json_key_u64(json, "old", count_on(against, TV_SIDE_OLD, kind));
        tv_json_key_u64(json, "new", count_on(against, TV_SIDE_NEW, kind));
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
}

static enum tv_code write_json(const struct tv_api *api, const void *values, struct tv_buffer *body,
                               struct tv_error *err)
{
    return tv_sides_json(
        api, &(struct tv_sides_plan){"changes", write_changes, values, tv_answer_check}, body, err);
}

static const struct tv_question_plan plan = {
    .fill = fill, .write_json = write_json, .write_text = write_text};

int tv_check_against_run(const struct tv_cli *cli, const struct tv_check_against *check)
{
    const char *const files[] = {check->new_file, check->old_file};
    struct against against = {.check = check};
    int status = tv_question_run(cli, &(struct tv_question_files){files, 2}, &plan, &against,
                                 check->is_json);
    if (status != TV_STATUS_FINE)
        return status;
    return against.is_worse ? TV_STATUS_BELOW : TV_STATUS_FINE;
}
