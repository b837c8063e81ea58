/*
 * The routes by which the page records; see server/recording.h.
 *
 * Each route turns its parameters into the words of a helper and hands them to the helper thread;
 * nothing of a device is touched here. A recording that has ended is shown at the address whose
 * page started it, or at a new one; recording_number and recorded_number say which, and are atomic
 * because the helper thread reads and writes them.
 */
#include "server/recording.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/params.h"
#include "base/memory/arena.h"
#include "base/text/json.h"
#include "base/units.h"
#include "os/file/paths.h"
#include "server/content.h"
#include "server/routes.h"

static void refuse(struct tv_http_response *response, const struct tv_error *err)
{
    const int status = err->code == TV_ERR_ARGUMENT   ? 400
                       : err->code == TV_ERR_CONFLICT ? 409
                                                      : 500;
    tv_http_refuse(response, status, err->text);
}

/* Chooses the recording's file: in the folder where the viewer was started, or with the user's data
 * if that folder cannot be written. */
static enum tv_code place_file(const struct tv_recording_request *wish, char path[TV_PATH_CAP],
                               struct tv_error *err)
{
    char name[TV_RECORDING_NAME_CAP], kept[TV_RECORDING_NAME_CAP + 16], folder[TV_PATH_CAP];
    const time_t now = time(NULL);
    struct tm when = {.tm_year = 70};
    (void)localtime_r(&now, &when);
    tv_recording_file_name(name, wish->name, &when);
    if (getcwd(folder, sizeof(folder)) && access(folder, W_OK) == 0) {
        (void)snprintf(path, TV_PATH_CAP, "%.*s/%s", TV_PATH_CAP - (int)sizeof(name) - 2, folder,
                       name);
    } else {
        (void)snprintf(kept, sizeof(kept), "recordings/%s", name);
        TV_TRY(tv_path_data(path, kept, err));
        TV_TRY(tv_path_make_folders(path, err));
    }
    /* The path becomes a word of the helper, which has a fixed room. */
    if (strlen(path) + sizeof("--output=") > TV_HELPER_THREAD_WORD_CAP)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "the folder's name is too long for a recording: start traceview elsewhere");
    return TV_OK;
}

static enum tv_code write_problem(const char *text, struct tv_buffer *body)
{
    struct tv_json json;
    body->len = 0;
    tv_json_init(&json, tv_buffer_sink(body));
    tv_json_open_object(&json);
    tv_json_key_text(&json, "problem", text);
    tv_json_close_object(&json);
    return tv_json_finish(&json, NULL);
}

/* A failure to ask devices is an answer too, with "problem": the page asks by itself, and the user
 * did nothing wrong. */
static void send_answer(struct tv_helper_thread *helpers,
                        const struct tv_helper_thread_words *words,
                        struct tv_http_response *response)
{
    struct tv_error err = {.code = TV_OK};
    enum tv_code code = tv_helper_thread_ask(helpers, words, &response->owned, &err);
    if (code == TV_ERR_SYSTEM)
        code = write_problem(err.text, &response->owned);
    if (code == TV_OK) {
        tv_http_send(response, 200, "application/json", "no-store");
        return;
    }
    tv_buffer_release(&response->owned);
    refuse(response, &err);
}

static enum tv_code parse(const struct tv_viewer *viewer, struct tv_arena *arena,
                          struct tv_params *params, struct tv_str query, const char *const *known,
                          struct tv_error *err)
{
    tv_arena_init(arena, viewer->alloc);
    return tv_params_parse(params, arena, query, known, err);
}

/* Parameters are checked before adb is asked, which may have to be started first, and takes seconds
 * then. */
void tv_recording_devices(void *ctx, struct tv_http_response *response)
{
    const struct tv_view_request *asked = ctx;
    struct tv_viewer *viewer = asked->viewer;
    static const char *const known[] = {"start", NULL};
    struct tv_helper_thread_words words = {.count = 0};
    struct tv_error err = {.code = TV_OK};
    struct tv_params params;
    struct tv_arena arena;
    bool is_start = false;
    enum tv_code code = parse(viewer, &arena, &params, asked->query, known, &err);
    if (code == TV_OK)
        code = tv_params_truth(&params, "start", &is_start, &err);
    tv_arena_release(&arena);
    tv_helper_thread_add(&words, "devices");
    tv_helper_thread_add(&words, "--json");
    if (!is_start)
        tv_helper_thread_add(&words, "--no-start");
    if (code == TV_OK)
        send_answer(viewer->helpers, &words, response);
    else
        refuse(response, &err);
}

/* Asks `traceview processes --json` in a helper process: of an Android device where `serial` names
 * one, else of this machine's Java virtual machines. */
void tv_recording_processes(void *ctx, struct tv_http_response *response)
{
    const struct tv_view_request *asked = ctx;
    struct tv_viewer *viewer = asked->viewer;
    static const char *const known[] = {"serial", "installed", NULL};
    bool is_installed = false;
    struct tv_helper_thread_words words = {.count = 0};
    struct tv_error err = {.code = TV_OK};
    struct tv_str serial = {NULL, 0};
    struct tv_params params;
    struct tv_arena arena;
    enum tv_code code = parse(viewer, &arena, &params, asked->query, known, &err);
    if (code == TV_OK)
        code = tv_recording_serial(&params, &serial, &err);
    if (code == TV_OK)
        code = tv_params_truth(&params, "installed", &is_installed, &err);
    tv_helper_thread_add(&words, "processes");
    tv_helper_thread_add(&words, "--json");
    if (serial.len)
        tv_helper_thread_add(&words, "--serial=%.*s", (int)serial.len, serial.at);
    else
        tv_helper_thread_add(&words, "--jvm");
    if (is_installed)
        tv_helper_thread_add(&words, "--installed");
    tv_arena_release(&arena);
    if (code == TV_OK)
        send_answer(viewer->helpers, &words, response);
    else
        refuse(response, &err);
}

static const char *phase_word(enum tv_helper_thread_phase phase)
{
    switch (phase) {
    case TV_HELPER_THREAD_IDLE:
        break;
    case TV_HELPER_THREAD_RUNNING:
        return "running";
    case TV_HELPER_THREAD_DONE:
        return "done";
    case TV_HELPER_THREAD_FAILED:
        return "failed";
    }
    return "idle";
}

/* The helper's progress object is appended as it is; the helper thread has checked that it is one.
 */
static enum tv_code write_view(const struct tv_viewer *viewer,
                               const struct tv_helper_thread_view *view, struct tv_buffer *body)
{
    const uint64_t number = atomic_load(&viewer->recorded_number);
    char page[TV_VIEWER_ADDRESS_CAP];
    const char *slash = strrchr(view->path, '/');
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(body));
    tv_json_open_object(&json);
    tv_json_key_text(&json, "state", phase_word(view->phase));
    tv_json_key_u64(&json, "elapsed_ms", view->elapsed_ns / TV_NS_PER_MS);
    tv_json_key_truth(&json, "stopped", view->is_stopped);
    tv_json_key_text(&json, "text", view->text);
    tv_json_key_text(&json, "file", slash ? slash + 1 : "");
    tv_json_key_str(&json, "folder",
                    (struct tv_str){view->path, slash ? (size_t)(slash - view->path) : 0});
    if (number) {
        tv_viewer_address(viewer, number, page);
        tv_json_key_text(&json, "page", page);
    }
    tv_json_close_object(&json);
    TV_TRY(tv_json_finish(&json, NULL));
    if (!view->progress[0])
        return TV_OK;
    body->len -= strlen("}\n");
    TV_TRY(tv_buffer_append(body, ",\"progress\":", strlen(",\"progress\":"), NULL));
    TV_TRY(tv_buffer_append(body, view->progress, strlen(view->progress), NULL));
    return tv_buffer_append(body, "}\n", 2, NULL);
}

static void send_view(struct tv_viewer *viewer, struct tv_http_response *response)
{
    struct tv_helper_thread_view view;
    tv_helper_thread_look(viewer->helpers, &view);
    if (write_view(viewer, &view, &response->owned) != TV_OK) {
        tv_http_refuse(response, 500, "out of memory");
        return;
    }
    tv_http_send(response, 200, "application/json", "no-store");
}

void tv_recording_open(struct tv_viewer *viewer, const char *path)
{
    struct tv_origin origin;
    struct tv_state *state =
        tv_traces_take(&viewer->traces, atomic_load(&viewer->recording_number));
    uint64_t number = 0;
    if (!state) /* the address was forgotten meanwhile; the first address is never forgotten */
        state = tv_traces_take(&viewer->traces, 1);
    tv_origin_init(&origin, TV_ORIGIN_FILE, path, tv_str_from(tv_file_name_of(path)));
    if (tv_content_show(viewer, state, &origin, &number, NULL) == TV_OK)
        atomic_store(&viewer->recorded_number, number);
    tv_traces_leave(state);
}

/* Opens the file that a failed recording has left. */
static enum tv_code open_kept(struct tv_viewer *viewer, const struct tv_state *state,
                              struct tv_error *err)
{
    struct tv_helper_thread_view view;
    tv_helper_thread_look(viewer->helpers, &view);
    if (view.phase == TV_HELPER_THREAD_RUNNING || !view.path[0])
        return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET, "nothing was recorded");
    atomic_store(&viewer->recording_number, state->number);
    tv_recording_open(viewer, view.path);
    return TV_OK;
}

/* Stops, opens or starts a recording, as the parameters say. */
static enum tv_code change(struct tv_viewer *viewer, const struct tv_state *state,
                           const struct tv_params *params, struct tv_error *err)
{
    struct tv_recording_request wish;
    struct tv_helper_thread_words words;
    char path[TV_PATH_CAP];
    bool is_stop = false, is_open = false;
    TV_TRY(tv_params_truth(params, "stop", &is_stop, err));
    TV_TRY(tv_params_truth(params, "open", &is_open, err));
    if (params->count == 1 && is_stop) {
        tv_helper_thread_stop(viewer->helpers);
        return TV_OK;
    }
    if (params->count == 1 && is_open)
        return open_kept(viewer, state, err);
    TV_TRY(tv_recording_read(params, &wish, err));
    TV_TRY(place_file(&wish, path, err));
    tv_recording_words(&wish, path, &words);
    /* Set before the recording begins, since it may end at once. */
    uint64_t former = atomic_exchange(&viewer->recording_number, state->number);
    atomic_store(&viewer->recorded_number, 0);
    enum tv_code code = tv_helper_thread_record(viewer->helpers, &words, path, err);
    if (code != TV_OK)
        atomic_store(&viewer->recording_number, former);
    return code;
}

void tv_recording_change(void *ctx, struct tv_http_response *response)
{
    const struct tv_view_request *asked = ctx;
    struct tv_viewer *viewer = asked->viewer;
    static const char *const known[] = {"serial",   "pid",       "name",       "mode",
                                        "begin",    "buffer_mb", "duration_s", "package",
                                        "activity", "stop",      "open",       NULL};
    struct tv_error err = {.code = TV_OK};
    struct tv_params params;
    struct tv_arena arena;
    enum tv_code code = parse(viewer, &arena, &params, asked->query, known, &err);
    if (code == TV_OK)
        code = change(viewer, asked->state, &params, &err);
    tv_arena_release(&arena);
    if (code == TV_OK)
        send_view(viewer, response);
    else
        refuse(response, &err);
}

void tv_recording_state(void *ctx, struct tv_http_response *response)
{
    const struct tv_view_request *asked = ctx;
    send_view(asked->viewer, response);
}
