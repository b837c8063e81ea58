/*
 * The settings, read from their file and put by the page: whatever the file holds, the page gets
 * one JSON object; and what the page may put is one JSON object, which comes back as it was.
 *
 * The input is both the file's content and the body of the request.
 */
#include <string.h>

#include "base/text/json.h"
#include "check.h"
#include "plain_json.h"
#include "server/guard.h"
#include "server/settings.h"
#include "user_folder.h"

/* What reading a file of unknown length begins with, for two files at a time. */
#define FILE_ROOM ((size_t)4 << 20)
#define LEVELS 32u /* that server/json_check.h promises */

static struct tv_str body_of(const struct tv_http_response *response)
{
    return response->kind == TV_HTTP_BODY_OWNED ? tv_buffer_view(&response->owned)
                                                : response->fixed;
}

static void get(const struct tv_viewer *viewer, struct tv_str content, bool is_object)
{
    struct tv_http_response response;
    tv_http_response_init(&response, viewer->alloc);
    tv_settings_send(viewer, &response);
    FUZZ_CHECK(response.status == 200);
    FUZZ_CHECK(tv_str_equal(body_of(&response), is_object ? content : TV_STR("{}\n")));
    tv_http_response_release(&response);
}

static void put(const struct tv_viewer *viewer, struct tv_str body, bool is_object)
{
    struct tv_http_response response;
    tv_http_response_init(&response, viewer->alloc);
    tv_settings_keep(viewer, body, &response);
    FUZZ_CHECK(response.status == (is_object ? 200 : 400));
    FUZZ_CHECK(fuzz_is_json_object(body_of(&response), LEVELS));
    tv_http_response_release(&response);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static const char former[] = "{\"theme\":\"dark\"}";
    char path[TV_PATH_CAP];
    struct fuzz_memory memory;
    struct tv_str text = {(const char *)bytes, len};
    bool is_object = len && fuzz_is_json_object(text, LEVELS);
    if (len > TV_LIMIT_BODY)
        return 0; /* the guard refuses such a request, and a longer file counts as none */
    fuzz_memory_init(&memory, len);
    memory.most += FILE_ROOM;
    fuzz_kept_path(path, "settings.json");
    const struct tv_viewer viewer = {.alloc = &memory.alloc, .settings_path = path};
    fuzz_kept_write(path, bytes, len);
    get(&viewer, text, is_object);
    fuzz_kept_write(path, (const uint8_t *)former, sizeof(former) - 1);
    put(&viewer, text, is_object);
    FUZZ_CHECK(fuzz_kept_is(path, is_object ? text : TV_STR(former)));
    fuzz_memory_check_released(&memory);
    return 0;
}
