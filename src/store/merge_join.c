/*
 * Rows and files side by side; see store/merge_join.h.
 *
 * Both lists are in the order of names and read a page at a time. Each step gives the smaller of
 * the two next names, with its row, its file or both. The lists change meanwhile, so a name that
 * only one of them has is a hint and no proof.
 */
#include "store/merge_join.h"

#include <string.h>

void tv_merge_join_init(struct tv_merge_join *merged, struct tv_store *store)
{
    memset(merged, 0, sizeof(*merged));
    merged->store = store;
}

/* Takes the next batch when the last one is used up. Batches go on behind the last name rather than
 * at a number, so rows that come and go meanwhile shift nothing. */
static enum tv_code fill_rows(struct tv_merge_join *merged, struct tv_error *err)
{
    const struct tv_store_db *db = &merged->store->db;
    if (merged->row < merged->row_count || merged->no_more_rows)
        return TV_OK;
    merged->row = 0;
    TV_TRY(db->list_files(db->ctx, merged->last_row.hex[0] ? &merged->last_row : NULL, merged->rows,
                          TV_MERGE_JOIN_PAGE, &merged->row_count, err));
    merged->no_more_rows = merged->row_count < TV_MERGE_JOIN_PAGE;
    if (merged->row_count)
        merged->last_row = merged->rows[merged->row_count - 1].name;
    return TV_OK;
}

/* Takes the next batch of the names of files when the last one is used up. */
static enum tv_code fill_names(struct tv_merge_join *merged, struct tv_error *err)
{
    const struct tv_store_files *files = &merged->store->files;
    if (merged->name < merged->name_count || merged->no_more_names)
        return TV_OK;
    merged->name = 0;
    TV_TRY(files->list(files->ctx, merged->last_name.hex[0] ? &merged->last_name : NULL,
                       merged->names, TV_MERGE_JOIN_PAGE, &merged->name_count, err));
    merged->no_more_names = merged->name_count < TV_MERGE_JOIN_PAGE;
    if (merged->name_count)
        merged->last_name = merged->names[merged->name_count - 1];
    return TV_OK;
}

/* The smaller name goes first. Where both have it, both move on: that is a file with its row. */
enum tv_code tv_merge_join_next(struct tv_merge_join *merged, struct tv_merge_join_file *file,
                                bool *has, struct tv_error *err)
{
    TV_TRY(fill_rows(merged, err));
    TV_TRY(fill_names(merged, err));
    bool has_row = merged->row < merged->row_count;
    bool has_name = merged->name < merged->name_count;
    *has = has_row || has_name;
    if (!*has)
        return TV_OK;
    const struct tv_file_row *row = merged->rows + merged->row;
    const struct tv_hash *name = merged->names + merged->name;
    int order = !has_row ? 1 : !has_name ? -1 : strcmp(row->name.hex, name->hex);
    *file = (struct tv_merge_join_file){.name = order <= 0 ? row->name : *name,
                                        .row = order <= 0 ? row : NULL,
                                        .is_file = order >= 0};
    merged->row += order <= 0;
    merged->name += order >= 0;
    return TV_OK;
}
