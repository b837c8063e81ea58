/*
 * From a request to an origin, which an address of the viewer takes over. A mistake in the request
 * is refused here; a mistake in the file shows when the loader reads it. So these routes answer at
 * once, and the page hears of the rest by its event stream.
 *
 * An origin that nobody took over is released here. A file that is open at another address is not
 * read twice: the page is sent to that address.
 */
#include "server/content.h"

#include <string.h>

#include "api/params.h"
#include "base/error.h"
#include "os/file/stamp.h"
#include "server/recent.h"
#include "server/routes.h"

#define EXAMPLE "recipes.trace.zst"

/* Chooses the HTTP status that says the same as the error's code. */
static void refuse(struct tv_http_response *response, const struct tv_error *err)
{
    int status = 500;
    if (err->code == TV_ERR_ARGUMENT)
        status = 400;
    else if (err->code == TV_ERR_NOT_FOUND)
        status = 404;
    else if (err->code == TV_ERR_CONFLICT)
        status = 409; /* too many traces are open; or this one is still read */
    else if (err->code == TV_ERR_LIMIT)
        status = 507; /* no room on the disk for a dropped file */
    tv_http_refuse(response, status, err->text);
}

static void accept(struct tv_http_response *response)
{
    tv_http_say(response, 202, "application/json", "{}\n");
}

static enum tv_code bad_name(struct tv_error *err, const char *what)
{
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "name %s", what);
}

/* The name of a dropped file is shown and stands in answers; no file is opened by it. Control
 * characters would spoil a terminal, and a slash would make it look like a path. */
static enum tv_code check_name(struct tv_str name, struct tv_error *err)
{
    if (!name.len)
        return bad_name(err, "is empty");
    if (name.len > TV_LIMIT_NAME)
        return bad_name(err, "is longer than a file's name can be");
    for (size_t i = 0; i < name.len; i++) {
        if ((unsigned char)name.at[i] < ' ' || name.at[i] == 0x7f)
            return bad_name(err, "has a control character in it");
        if (name.at[i] == '/')
            return bad_name(err, "has a slash in it: only the file's own name is wanted");
    }
    return TV_OK;
}

/* The bytes of a dropped file have arrived before the route is asked; the spool that has them is
 * the caller's from here on. */
static enum tv_code take_spool(const struct tv_http_request *request, struct tv_str name,
                               struct tv_spool *spool, struct tv_error *err)
{
    struct tv_dropped_file *upload = request->own;
    TV_TRY(check_name(name, err));
    if (!upload)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "the file's bytes are missing");
    if (request->body_error.code != TV_OK) {
        *err = request->body_error;
        return err->code;
    }
    *spool = upload->spool;
    tv_spool_init(&upload->spool);
    return TV_OK;
}

static enum tv_code take_upload(const struct tv_http_request *request, struct tv_str name,
                                struct tv_origin *origin, struct tv_error *err)
{
    char path[TV_SPOOL_PATH_CAP];
    struct tv_spool spool;
    TV_TRY(take_spool(request, name, &spool, err));
    tv_spool_path(&spool, path);
    tv_origin_init(origin, TV_ORIGIN_DROPPED, path, name);
    origin->spool = spool;
    return TV_OK;
}

static enum tv_code take_mapping(const struct tv_http_request *request, struct tv_str name,
                                 struct tv_origin_mapping *mapping, struct tv_error *err)
{
    TV_TRY(take_spool(request, name, &mapping->spool, err));
    tv_spool_path(&mapping->spool, mapping->path);
    memcpy(mapping->label, name.at, name.len); /* the name was found to fit */
    mapping->label[name.len] = '\0';
    return TV_OK;
}

static struct tv_str label_of(const char *path)
{
    return tv_str_from(tv_file_name_of(path));
}

static enum tv_code find_example(struct tv_origin *origin, struct tv_error *err)
{
    char path[TV_PATH_CAP];
    TV_TRY(tv_path_shared(path, EXAMPLE, err));
    tv_origin_init(origin, TV_ORIGIN_EXAMPLE, path, TV_STR(EXAMPLE));
    return TV_OK;
}

static enum tv_code find_recent(const struct tv_viewer *viewer, struct tv_str id,
                                struct tv_origin *origin, struct tv_error *err)
{
    char path[TV_PATH_CAP];
    TV_TRY(tv_recent_find(viewer->recent_path, viewer->alloc, id, path, err));
    tv_origin_init(origin, TV_ORIGIN_FILE, path, label_of(path));
    return TV_OK;
}

/* The origin that the parameters name; there must be exactly one of them. */
static enum tv_code choose_origin(const struct tv_viewer *viewer,
                                  const struct tv_http_request *request,
                                  const struct tv_params *params, struct tv_origin *origin,
                                  struct tv_error *err)
{
    struct tv_str value;
    bool is_example = false;
    TV_TRY(tv_params_truth(params, "example", &is_example, err));
    if (params->count == 1 && is_example)
        return find_example(origin, err);
    if (params->count == 1 && tv_params_find(params, "recent", &value))
        return find_recent(viewer, value, origin, err);
    if (params->count == 1 && tv_params_find(params, "name", &value))
        return take_upload(request, value, origin, err);
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "one of name, recent and example is wanted");
}

/* Where an origin is shown: at the address that has the same file already, at the caller's address
 * if nothing was opened there, else at a new one. */
enum tv_code tv_content_show(struct tv_viewer *viewer, struct tv_state *state,
                             struct tv_origin *origin, uint64_t *number, struct tv_error *err)
{
    struct tv_state *same = tv_traces_find(&viewer->traces, origin->file_id);
    if (same) {
        *number = same->number;
        tv_traces_leave(same);
        return TV_OK;
    }
    *number = state->number;
    if (tv_state_want_if_empty(state, origin))
        return TV_OK;
    return tv_traces_open(&viewer->traces, origin, number, err);
}

static void send_page(const struct tv_viewer *viewer, uint64_t number,
                      struct tv_http_response *response)
{
    char path[TV_VIEWER_ADDRESS_CAP];
    struct tv_json json;
    tv_viewer_address(viewer, number, path);
    tv_json_init(&json, tv_buffer_sink(&response->owned));
    tv_json_open_object(&json);
    tv_json_key_text(&json, "page", path);
    tv_json_close_object(&json);
    if (tv_json_finish(&json, NULL) == TV_OK)
        tv_http_send(response, 202, "application/json", "no-store");
    else
        tv_http_refuse(response, 500, "out of memory");
}

static const char *const open_params[] = {"name", "recent", "example", NULL};

/* 202: the trace is only wanted now, and its page says how far its reading is. */
void tv_content_open(void *ctx, struct tv_http_response *response)
{
    const struct tv_view_request *asked = ctx;
    struct tv_viewer *viewer = asked->viewer;
    struct tv_error err = {.code = TV_OK};
    struct tv_params params;
    struct tv_origin origin;
    struct tv_arena arena;
    uint64_t number = 0;
    tv_arena_init(&arena, viewer->alloc);
    enum tv_code code = tv_params_parse(&params, &arena, asked->query, open_params, &err);
    if (code == TV_OK)
        code = choose_origin(viewer, asked->request, &params, &origin, &err);
    tv_arena_release(&arena);
    if (code == TV_OK) {
        code = tv_content_show(viewer, asked->state, &origin, &number, &err);
        tv_origin_release(&origin); /* does nothing when an address took it over */
    }
    if (code == TV_OK)
        send_page(viewer, number, response);
    else
        refuse(response, &err);
}

static const char *const mapping_params[] = {"name", "force", "none", NULL};

/* A mapping, or none=1 for the names of before. */
static enum tv_code choose_mapping(const struct tv_http_request *request,
                                   const struct tv_params *params,
                                   struct tv_origin_mapping *mapping, struct tv_error *err)
{
    struct tv_str name;
    bool is_none = false;
    TV_TRY(tv_params_truth(params, "none", &is_none, err));
    TV_TRY(tv_params_truth(params, "force", &mapping->is_forced, err));
    if (params->count == 1 && is_none)
        return TV_OK;
    if (!is_none && tv_params_find(params, "name", &name))
        return take_mapping(request, name, mapping, err);
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "one of name and none is wanted");
}

/* Whether the mapping fits is known when the trace has been read by it, which the event stream
 * tells. */
void tv_content_mapping(void *ctx, struct tv_http_response *response)
{
    const struct tv_view_request *asked = ctx;
    struct tv_error err = {.code = TV_OK};
    struct tv_origin_mapping mapping;
    struct tv_params params;
    struct tv_arena arena;
    tv_arena_init(&arena, asked->viewer->alloc);
    tv_origin_mapping_init(&mapping);
    enum tv_code code = tv_params_parse(&params, &arena, asked->query, mapping_params, &err);
    if (code == TV_OK)
        code = choose_mapping(asked->request, &params, &mapping, &err);
    tv_arena_release(&arena);
    if (code == TV_OK)
        code = tv_state_rename(asked->state, &mapping, &err);
    tv_spool_release(&mapping.spool); /* does nothing when the trace took it over */
    if (code == TV_OK)
        accept(response);
    else
        refuse(response, &err);
}

/* Standard input and a dropped file cannot have changed, so there is nothing to read anew. */
void tv_content_reload(void *ctx, struct tv_http_response *response)
{
    const struct tv_view_request *asked = ctx;
    struct tv_origin origin;
    if (tv_state_file(asked->state, &origin)) {
        tv_state_want(asked->state, &origin);
        accept(response);
    } else if (tv_state_has_trace(asked->state)) {
        tv_http_refuse(response, 409, "it did not come from a file here: open it again");
    } else {
        tv_http_refuse(response, 404, "no trace");
    }
}

void tv_content_cancel(void *ctx, struct tv_http_response *response)
{
    const struct tv_view_request *asked = ctx;
    tv_state_cancel(asked->state);
    accept(response);
}

/* The example that is installed beside the program, null where it is not. */
static void write_example(struct tv_json *json)
{
    char path[TV_PATH_CAP];
    tv_json_key(json, "example");
    if (tv_path_shared(path, EXAMPLE, NULL) != TV_OK) {
        tv_json_null(json);
        return;
    }
    tv_json_open_object(json);
    tv_json_key_text(json, "name", EXAMPLE);
    tv_json_key_u64(json, "bytes", tv_stamp_of(path).of[0].len);
    tv_json_close_object(json);
}

void tv_content_recent(void *ctx, struct tv_http_response *response)
{
    const struct tv_view_request *asked = ctx;
    const struct tv_viewer *viewer = asked->viewer;
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(&response->owned));
    tv_json_open_object(&json);
    tv_json_key(&json, "recent");
    tv_recent_write(viewer->recent_path, viewer->alloc, &json);
    write_example(&json);
    tv_json_close_object(&json);
    if (tv_json_finish(&json, NULL) != TV_OK) {
        tv_http_refuse(response, 500, "out of memory");
        return;
    }
    tv_http_send(response, 200, "application/json", "no-store");
}

bool tv_content_has_file(struct tv_str query)
{
    return tv_str_starts_with(query, TV_STR("name="));
}

/* Writes a piece of a dropped file. After a failure the spool is released at once, since its disk
 * is full. */
static enum tv_code append(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    struct tv_dropped_file *upload = ctx;
    enum tv_code code = tv_spool_append(&upload->spool, bytes, len, err);
    if (code != TV_OK)
        tv_spool_release(&upload->spool);
    return code;
}

/* A failure goes into the request's body_error, which the route finds when the body is over. */
void tv_dropped_file_begin(const struct tv_alloc *alloc, struct tv_http_request *request,
                           struct tv_http_body_sink *body_sink)
{
    struct tv_dropped_file *upload = NULL;
    struct tv_error *err = &request->body_error;
    err->code = tv_alloc_new(alloc, &upload, 1, sizeof(*upload), err);
    if (err->code != TV_OK)
        return;
    tv_spool_init(&upload->spool);
    request->own = upload;
    body_sink->most = UINT64_MAX; /* the spool has its limit */
    body_sink->sink = (struct tv_sink){.write = append, .ctx = upload};
    err->code = tv_spool_open(&upload->spool, request->body_len, err);
}

void tv_dropped_file_end(const struct tv_alloc *alloc, struct tv_http_request *request)
{
    struct tv_dropped_file *upload = request->own;
    if (!upload)
        return;
    tv_spool_release(&upload->spool);
    tv_alloc_release(alloc, &upload, 1, sizeof(*upload));
    request->own = NULL;
}
