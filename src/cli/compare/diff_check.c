/*
 * check --against, as text and as a status; see cli/compare/diff_check.h. What it tells is what the
 * route `checkdiff` answers (api/comparisons/check_diff.h).
 */
#include "cli/compare/diff_check.h"

#include "api/comparisons/check_diff.h"
#include "base/finding.h"
#include "cli/answers/question.h"
#include "cli/terminal/table.h"

struct against {
    const struct tv_check_against *check;
    struct tv_check_diff of;
    bool is_worse;
};

static enum tv_code fill(struct tv_asking *asking, void *values, struct tv_error *err)
{
    struct against *against = values;
    (void)err;
    against->of.sides[TV_SIDE_NEW] = asking->traces[0].index->info;
    against->of.sides[TV_SIDE_OLD] = asking->traces[1].index->info;
    against->is_worse = tv_check_diff_is_worse(
        &against->of, against->check->is_strict ? TV_NOTES_COUNT : TV_NOTES_ARE_FINE);
    return TV_OK;
}

static void add_side(const struct against *against, enum tv_side side, const char *file,
                     struct tv_text *out)
{
    const struct tv_index_info *info = against->of.sides[side];
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
        if (!tv_check_diff_is_on_any(&against->of, kind))
            continue;
        tv_table_count(table, tv_check_diff_count(&against->of, TV_SIDE_OLD, kind));
        tv_table_count(table, tv_check_diff_count(&against->of, TV_SIDE_NEW, kind));
        tv_table_name(table, tv_str_from(tv_check_diff_standing(&against->of, kind)));
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
        has_any = has_any || tv_check_diff_is_on_any(&against->of, (enum tv_finding_kind)i);
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

static enum tv_code write_json(const struct tv_api *api, const void *values, struct tv_buffer *body,
                               struct tv_error *err)
{
    (void)values;
    return tv_answer_check_diff(api, 1, body, err);
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
