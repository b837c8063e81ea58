/*
 * What a list is asked for, as one text of JSON that the database takes apart itself. So the
 * statement stays the same for any number of words and labels, can be kept prepared, and nothing of
 * a question becomes SQL. Any thread.
 *
 *   {"words": ["%cold%"], "labels": [{"key": "app", "value": ""}], "owners": [...], "projects":
 * [...], "reader": "ana", "uploader": "ben", "from": "2026-11-22", "until": "2026-11-23"}
 *
 * A word is a pattern of LIKE, where a backslash takes the meaning from what follows; of the last
 * five those are left out that were not given.
 */
#ifndef TV_STORE_LIST_QUERY_H
#define TV_STORE_LIST_QUERY_H

#include "base/compiler.h"
#include "base/memory/buffer.h"
#include "base/text/json.h"
#include "store/store_db.h"

/* Counts the traces that have a label, of a label that is NULL all of them; it may end with the
 * first above `most`. */
typedef enum tv_code tv_list_count(void *ctx, const struct tv_label *label, int64_t most,
                                   int64_t *count, struct tv_error *err);
/* Finds a label that few traces have: no more than TV_LIST_RARE; or no more than TV_LIST_RARE_TIMES
 * as many as are asked for, and so small a share of all that to put them in order for each slice
 * takes less than to go through all traces until a slice is full. A list begins to look there.
 * NULL: the query has none, or asks for traces of some owners, where it begins with these. */
#define TV_LIST_RARE 1000
#define TV_LIST_RARE_TIMES 10
enum tv_code tv_list_query_find_rare(const struct tv_trace_query *query,
                                     tv_list_count *count_traces, void *ctx,
                                     const struct tv_label **rare,
                                     struct tv_error *err) TV_MUST_CHECK;

/* Whether a text of it has what no text of a store has, and what databases cannot take: a U+0000,
 * in either spelling (store/row_check.h), or a word longer than the longest text, of which SQLite
 * would make no pattern. Then no trace is found. */
bool tv_list_query_finds_nothing(const struct tv_trace_query *query);
/* TV_ERR_ARGUMENT: the text has more than TV_LIST_WORDS_MOST words. */
#define TV_LIST_WORDS_MOST 16u
enum tv_code tv_list_query_write(const struct tv_trace_query *query, struct tv_buffer *text,
                                 struct tv_error *err) TV_MUST_CHECK;
/* Labels alone, as an array. */
void tv_list_query_labels(struct tv_json *json, const struct tv_label *labels, size_t count);

#endif
