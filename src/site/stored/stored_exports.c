/*
 * Exports of stored traces: downloads as the viewer has them (served/exports.h), from indexes that
 * the cache holds until the download has ended.
 */
#include "site/stored/stored.h"

#include "served/exports.h"
#include "site/stored/stored_cache.h"

static void let_go(void *stored, void *held)
{
    tv_stored_let_go(stored, held);
}

/* Puts the format, which the API has in its path, in front of the query. */
static enum tv_code join_query(struct tv_buffer *whole, struct tv_str format, struct tv_str query,
                               struct tv_error *err)
{
    static const struct tv_str key = {"format=", 7};
    if (format.len) {
        TV_TRY(tv_buffer_append(whole, key.at, key.len, err));
        TV_TRY(tv_buffer_append(whole, format.at, format.len, err));
    }
    if (format.len && query.len)
        TV_TRY(tv_buffer_append(whole, "&", 1, err));
    return tv_buffer_append(whole, query.at, query.len, err);
}

/* The download holds the index from here on and lets it go at its end. */
static enum tv_code send(struct tv_stored *stored, const struct tv_stored_trace *trace,
                         const struct tv_http_request *request, struct tv_str query,
                         struct tv_http_response *response, struct tv_error *err)
{
    struct tv_stored_index *index;
    TV_TRY(tv_stored_hold(stored, trace, &index, err));
    const struct tv_held held = {.index = &index->index,
                                 .file = tv_str_from(trace->file_name),
                                 .memory_most = index->memory_most,
                                 .party = request->party,
                                 .let_go = let_go,
                                 .owner = stored,
                                 .what = index};
    tv_exports_send(&stored->downloads, &held, request, query, response);
    return TV_OK;
}

/* The format stands in the path and the rest in the query, and the viewer's parser wants both in
 * one. */
void tv_stored_export(struct tv_stored *stored, const struct tv_stored_trace *trace,
                      const struct tv_http_request *request, struct tv_str format,
                      struct tv_str query, struct tv_http_response *response)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_buffer whole;
    tv_buffer_init(&whole, stored->opts.alloc);
    enum tv_code code = join_query(&whole, format, query, &err);
    if (code == TV_OK)
        code = send(stored, trace, request, tv_buffer_view(&whole), response, &err);
    tv_buffer_release(&whole);
    if (code != TV_OK)
        tv_stored_refuse(response, &err);
}

void tv_stored_exporting(struct tv_stored *stored, const struct tv_http_request *request,
                         struct tv_str query, struct tv_http_response *response)
{
    tv_exports_tell(&stored->downloads, request, query, response);
}
