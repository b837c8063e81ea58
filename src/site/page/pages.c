/* Pages as answers; see site/page/pages.h. */
#include "site/page/pages.h"

#include "base/alloc.h"
#include "base/buffer.h"

static struct tv_told_site told_site(const struct tv_page_site *site)
{
    return (struct tv_told_site){.files = site->files,
                                 .base = tv_str_from(site->config->base_path),
                                 .origin = tv_str_from(site->origin),
                                 .user = site->user,
                                 .has_list = site->config->list};
}

static uint64_t told_life(uint64_t seconds)
{
    return seconds == TV_NEVER ? TV_TOLD_FOREVER : seconds;
}

static struct tv_told_limits told_limits(const struct tv_site_config *config)
{
    static const enum tv_told_uploaders uploaders[] = {
        [TV_UPLOADS_OPEN] = TV_TOLD_ANYBODY,
        [TV_UPLOADS_SECRET] = TV_TOLD_WITH_SECRET,
        [TV_UPLOADS_PROXY] = TV_TOLD_NAMED_BY_PROXY,
        [TV_UPLOADS_NOBODY] = TV_TOLD_NOBODY,
    };
    return (struct tv_told_limits){.uploaders = uploaders[config->uploads],
                                   .most_bytes = config->max_upload,
                                   .kept_s = told_life(config->expires_s),
                                   .most_kept_s = told_life(config->expires_most_s),
                                   .piece_bytes = config->max_piece};
}

static struct tv_told_trace told_trace(const struct tv_page_trace *trace,
                                       struct tv_told_label labels[TV_STORE_LABELS_MOST])
{
    static const enum tv_told_state states[] = {
        [TV_TRACE_QUEUED] = TV_TOLD_WAITING,
        [TV_TRACE_PROCESSING] = TV_TOLD_READING,
        [TV_TRACE_READY] = TV_TOLD_READY,
        [TV_TRACE_FAILED] = TV_TOLD_BAD,
    };
    const struct tv_trace_row *row = trace->row;
    size_t count =
        row->label_count < TV_STORE_LABELS_MOST ? row->label_count : TV_STORE_LABELS_MOST;
    for (size_t i = 0; i < count; i++)
        labels[i] = (struct tv_told_label){row->labels[i].key, row->labels[i].value};
    return (struct tv_told_trace){
        .id = tv_str_from(row->id.hex),
        .file = row->file_name,
        .title = row->title,
        .note = row->note,
        .labels = labels,
        .label_count = count,
        .bytes = row->bytes,
        .created_s = row->created > 0 ? (uint64_t)row->created : 0,
        .expires_s = row->expires > 0 ? (uint64_t)row->expires : TV_TOLD_FOREVER,
        .state = states[trace->state],
        .reason = trace->reason,
        .is_listed = row->is_listed,
        .is_shared = row->is_raw_shared,
    };
}

/* Sends the page that was written into the response, if it was. */
static void send(struct tv_http_response *response, int status, enum tv_code written)
{
    if (written != TV_OK) {
        tv_http_drop_body(response);
        tv_http_refuse(response, 500, "out of memory");
        return;
    }
    tv_http_set(response, "Content-Security-Policy", tv_pages_policy());
    /* Other sites are told nothing. With "no-referrer" a form would be sent with the origin "null",
     * and be refused as another site's. */
    tv_http_set(response, "Referrer-Policy", "same-origin");
    tv_http_send(response, status, "text/html; charset=utf-8", "no-store");
}

void tv_pages_start(const struct tv_page_site *site, struct tv_http_response *response)
{
    struct tv_told_site told = told_site(site);
    struct tv_told_limits limits = told_limits(site->config);
    send(response, 200,
         tv_page_write_start(&told, &limits, tv_str_from(site->example_id),
                             tv_buffer_sink(&response->owned), NULL));
}

void tv_pages_uploaded(const struct tv_page_site *site, const struct tv_page_trace *trace,
                       const char *owner_token, struct tv_http_response *response)
{
    struct tv_told_label labels[TV_STORE_LABELS_MOST];
    struct tv_told_site told = told_site(site);
    struct tv_told_trace about = told_trace(trace, labels);
    send(response, 201,
         tv_page_write_uploaded(&told, &about, tv_str_from(owner_token),
                                tv_buffer_sink(&response->owned), NULL));
}

void tv_pages_processing(const struct tv_page_site *site, const struct tv_page_trace *trace,
                         struct tv_http_response *response)
{
    struct tv_told_label labels[TV_STORE_LABELS_MOST];
    struct tv_told_site told = told_site(site);
    struct tv_told_trace about = told_trace(trace, labels);
    send(response, 200,
         tv_page_write_waiting(&told, &about, tv_buffer_sink(&response->owned), NULL));
}

void tv_pages_failed(const struct tv_page_site *site, const struct tv_page_trace *trace,
                     struct tv_http_response *response)
{
    struct tv_told_label labels[TV_STORE_LABELS_MOST];
    struct tv_told_site told = told_site(site);
    struct tv_told_trace about = told_trace(trace, labels);
    send(response, 200, tv_page_write_bad(&told, &about, tv_buffer_sink(&response->owned), NULL));
}

void tv_pages_owner(const struct tv_page_site *site, const struct tv_page_trace *trace,
                    const char *problem, struct tv_http_response *response)
{
    struct tv_told_label labels[TV_STORE_LABELS_MOST];
    struct tv_told_site told = told_site(site);
    struct tv_told_limits limits = told_limits(site->config);
    struct tv_told_trace about = told_trace(trace, labels);
    send(response, 200,
         tv_page_write_owner(&told, &about, &limits, problem ? tv_str_from(problem) : TV_STR(""),
                             tv_buffer_sink(&response->owned), NULL));
}

void tv_pages_flames(const struct tv_page_site *site, const struct tv_page_trace *trace,
                     const struct tv_stored_thread *threads, size_t count,
                     struct tv_http_response *response)
{
    const struct tv_alloc *alloc = response->owned.alloc;
    struct tv_told_label labels[TV_STORE_LABELS_MOST];
    struct tv_told_site told = told_site(site);
    struct tv_told_trace about = told_trace(trace, labels);
    struct tv_told_thread *told_threads = NULL;
    enum tv_code code = tv_alloc_new(alloc, &told_threads, count, sizeof(*told_threads), NULL);
    if (code == TV_OK) {
        for (size_t i = 0; i < count; i++)
            told_threads[i] = (struct tv_told_thread){threads[i].id, threads[i].name,
                                                      threads[i].calls, threads[i].is_sampled};
        code = tv_page_write_flames(&told, &about, told_threads, count,
                                    tv_buffer_sink(&response->owned), NULL);
        tv_alloc_release(alloc, &told_threads, count, sizeof(*told_threads));
    }
    send(response, 200, code);
}

/* A trace of a list, with room for its labels. */
struct listed {
    struct tv_told_label labels[TV_STORE_LABELS_MOST];
};

static enum tv_code write_list(const struct tv_page_site *site, const struct tv_page_list *list,
                               struct tv_told_trace *traces, struct listed *rooms,
                               struct tv_sink sink)
{
    struct tv_told_site told = told_site(site);
    for (size_t i = 0; i < list->count; i++)
        traces[i] = told_trace(&list->traces[i], rooms[i].labels);
    struct tv_told_list about = {.search = list->search,
                                 .traces = traces,
                                 .trace_count = list->count,
                                 .is_first = list->is_first,
                                 .next = list->next};
    return tv_page_write_list(&told, &about, sink, NULL);
}

void tv_pages_list(const struct tv_page_site *site, const struct tv_page_list *list,
                   struct tv_http_response *response)
{
    const struct tv_alloc *alloc = response->owned.alloc;
    struct tv_told_trace *traces = NULL;
    struct listed *rooms = NULL;
    enum tv_code code = tv_alloc_new(alloc, &traces, list->count, sizeof(*traces), NULL);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &rooms, list->count, sizeof(*rooms), NULL);
    if (code == TV_OK)
        code = write_list(site, list, traces, rooms, tv_buffer_sink(&response->owned));
    tv_alloc_release(alloc, &rooms, rooms ? list->count : 0, sizeof(*rooms));
    tv_alloc_release(alloc, &traces, traces ? list->count : 0, sizeof(*traces));
    send(response, 200, code);
}

void tv_pages_stored(const struct tv_page_site *site, struct tv_http_response *response)
{
    struct tv_told_site told = told_site(site);
    struct tv_told_limits limits = told_limits(site->config);
    send(response, 200,
         tv_page_write_stored(&told, &limits, tv_buffer_sink(&response->owned), NULL));
}

void tv_pages_problem(const struct tv_page_site *site, int status, struct tv_str reason,
                      struct tv_http_response *response)
{
    struct tv_told_site told = told_site(site);
    send(response, status,
         tv_page_write_problem(&told, (unsigned)status, reason, tv_buffer_sink(&response->owned),
                               NULL));
}

bool tv_pages_static(const struct tv_page_files *files, struct tv_str name,
                     struct tv_http_response *response)
{
    const struct tv_page_file *file = tv_page_files_find(files, name);
    if (!file)
        return false;
    response->status = 200;
    response->kind = TV_HTTP_BODY_STATIC;
    response->fixed = file->bytes;
    tv_http_set(response, "Content-Type", file->type);
    tv_http_set(response, "Cache-Control", "public, max-age=31536000, immutable");
    return true;
}
