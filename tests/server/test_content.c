/* server/content: what may be opened, and by which name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "server/content.h"
#include "shown.h"

#define TOKEN "00112233445566778899aabbccddeeff"

struct asking {
    struct tv_viewer viewer;
    struct tv_http_request request;
    struct tv_http_response response;
    struct tv_http_field fields[2]; /* Host and Origin */
    struct tv_dropped_file upload;
    char target[40000];
};

static struct asking *begin(void)
{
    struct asking *asking = calloc(1, sizeof(*asking));
    assert_non_null(asking);
    asking->viewer.alloc = tv_alloc_libc();
    memcpy(asking->viewer.token, TOKEN, sizeof(TOKEN));
    assert_int_equal(tv_traces_init(&asking->viewer.traces, tv_alloc_libc(), NULL), TV_OK);
    asking->request.method = TV_HTTP_PUT;
    asking->fields[0] = (struct tv_http_field){TV_STR("Host"), TV_STR("localhost:1")};
    asking->request.fields = asking->fields;
    asking->request.field_count = 1;
    tv_spool_init(&asking->upload.spool);
    tv_http_response_init(&asking->response, tv_alloc_libc());
    return asking;
}

static void end(struct asking *asking)
{
    tv_spool_release(&asking->upload.spool);
    tv_http_response_release(&asking->response);
    tv_traces_release(&asking->viewer.traces);
    free(asking);
}

static void aim(struct asking *asking, const char *path)
{
    (void)snprintf(asking->target, sizeof(asking->target), "/" TOKEN "/api/%s", path);
    asking->request.target = tv_str_from(asking->target);
}

static int ask(struct asking *asking, const char *path)
{
    aim(asking, path);
    tv_http_response_release(&asking->response);
    tv_http_response_init(&asking->response, tv_alloc_libc());
    tv_viewer_service(&asking->viewer).answer(&asking->viewer, &asking->request, &asking->response);
    return asking->response.status;
}

static bool says(const struct asking *asking, const char *text)
{
    struct tv_str body = asking->response.kind == TV_HTTP_BODY_OWNED
                             ? tv_buffer_view(&asking->response.owned)
                             : asking->response.fixed;
    return tv_str_find(body, tv_str_from(text), TV_CASE_EXACT) != SIZE_MAX;
}

/* How the body of the request would be taken. */
static enum tv_http_take body_sink(struct asking *asking)
{
    struct tv_http_service service = tv_viewer_service(&asking->viewer);
    struct tv_http_request request = asking->request;
    struct tv_http_body_sink body_sink;
    struct tv_http_response response;
    const struct tv_http_ending ending = {.status = 0};
    tv_http_response_init(&response, tv_alloc_libc());
    enum tv_http_take take = service.begin(service.ctx, &request, &body_sink, &response);
    service.ended(service.ctx, &request, &ending);
    tv_http_response_release(&response);
    return take;
}

static void upload(struct asking *asking, const char *bytes)
{
    asking->request.own = &asking->upload;
    assert_int_equal(tv_spool_open(&asking->upload.spool, 0, NULL), TV_OK);
    assert_int_equal(tv_spool_append(&asking->upload.spool, bytes, strlen(bytes), NULL), TV_OK);
}

static void a_dropped_file_is_wanted_under_its_name(void **state)
{
    struct asking *asking = begin();
    struct tv_origin origin;
    (void)state;
    upload(asking, "bytes");
    assert_int_equal(ask(asking, "open?name=caf%C3%A9+1.trace"), 202);
    assert_int_equal(asking->upload.spool.fd, -1); /* taken */
    origin = take_wanted(asking->viewer.traces.of[0]);
    assert_string_equal(origin.label, "caf\xc3\xa9 1.trace");
    assert_int_equal(origin.kind, TV_ORIGIN_DROPPED);
    FILE *file = fopen(origin.path, "r");
    char read[8] = "";
    assert_non_null(file);
    assert_int_equal(fread(read, 1, sizeof(read) - 1, file), 5);
    assert_string_equal(read, "bytes");
    assert_int_equal(fclose(file), 0);
    tv_origin_release(&origin);
    end(asking);
}

static void a_mapping_is_wanted_for_the_open_trace(void **state)
{
    struct asking *asking = begin();
    struct tv_state *first = asking->viewer.traces.of[0];
    (void)state;
    upload(asking, "bytes");
    assert_int_equal(ask(asking, "mapping?name=m.txt"), 404);
    assert_true(says(asking, "open it first"));
    assert_int_equal(asking->upload.spool.fd, -1); /* it is gone with the answer */
    struct tv_origin origin;
    tv_origin_init(&origin, TV_ORIGIN_EXAMPLE, "x", TV_STR("x"));
    tv_state_want(first, &origin);
    origin = take_wanted(first);
    struct tv_index index;
    tv_index_init(&index);
    assert_int_equal(tv_state_show(first, &index, &origin, 1, 1, NULL), TV_OK);
    assert_true(tv_state_finish(first, &origin, TV_OK, NULL));
    tv_state_end_saving(first);
    upload(asking, "bytes");
    assert_int_equal(ask(asking, "mapping?name=m.txt&force=1"), 202);
    origin = take_wanted(first);
    assert_string_equal(origin.mapping.label, "m.txt");
    assert_true(origin.mapping.is_forced);
    assert_true(origin.mapping.spool.fd >= 0);
    assert_int_equal(origin.kind, TV_ORIGIN_EXAMPLE);
    tv_origin_release(&origin);
    end(asking);
}

static void a_mapping_is_named_or_there_is_none(void **state)
{
    static const char *const queries[] = {"mapping",
                                          "mapping?name=a/b",
                                          "mapping?name=",
                                          "mapping?none=1&name=a",
                                          "mapping?none=0",
                                          "mapping?name=a&force=2",
                                          "mapping?none=1&force=1"};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(queries); i++) {
        struct asking *asking = begin();
        upload(asking, "bytes");
        assert_int_equal(ask(asking, queries[i]), 400);
        end(asking);
    }
}

static void odd_names_are_refused(void **state)
{
    static const char *const names[] = {
        "",    "a/b", "..%2Fx",   "%2Fetc%2Fpasswd", "a%00b",        "%0Ax",       "%7F",
        "%zz", "%",   "a&name=b", "x&y=1",           "a&recent=0x1", "a&example=1"};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(names); i++) {
        char path[64];
        struct asking *asking = begin();
        upload(asking, "bytes");
        (void)snprintf(path, sizeof(path), "open?name=%s", names[i]);
        assert_int_equal(ask(asking, path), 400);
        assert_int_equal(tv_state_look(asking->viewer.traces.of[0]).phase, TV_PHASE_IDLE);
        end(asking);
    }
}

static void a_name_of_ten_thousand_bytes_is_refused(void **state)
{
    struct asking *asking = begin();
    char path[10100] = "open?name=";
    (void)state;
    memset(path + strlen(path), 'x', 10000);
    upload(asking, "bytes");
    assert_int_equal(ask(asking, path), 400);
    path[10 + TV_LIMIT_NAME] = '\0'; /* the longest that can be */
    assert_int_equal(ask(asking, path), 202);
    end(asking);
}

static void what_the_disk_had_no_room_for_is_told(void **state)
{
    struct asking *asking = begin();
    (void)state;
    asking->request.own = &asking->upload;
    asking->request.body_error = (struct tv_error){.code = TV_ERR_LIMIT, .text = "no room for it"};
    assert_int_equal(ask(asking, "open?name=a"), 507);
    assert_true(says(asking, "no room for it"));
    asking->request.body_error.code = TV_OK;
    asking->request.own = NULL;
    assert_int_equal(ask(asking, "open?name=a"), 400);
    end(asking);
}

static void only_what_the_list_has_is_opened_by_id(void **state)
{
    struct asking *asking = begin();
    (void)state;
    asking->viewer.recent_path = "/nowhere/recent";
    assert_int_equal(ask(asking, "open?recent=0x12"), 404);
    assert_int_equal(ask(asking, "open?recent=/etc/passwd"), 400);
    assert_int_equal(ask(asking, "open?recent="), 400);
    assert_int_equal(ask(asking, "open?example=0"), 400);
    assert_int_equal(ask(asking, "open?example=yes"), 400);
    assert_int_equal(ask(asking, "open"), 400);
    assert_int_equal(ask(asking, "open?path=/etc/passwd"), 400);
    end(asking);
}

static void only_put_changes_and_only_get_tells(void **state)
{
    static const char *const changes[] = {"open?example=1", "reload", "cancel"};
    struct asking *asking = begin();
    (void)state;
    asking->request.method = TV_HTTP_GET;
    for (size_t i = 0; i < TV_COUNT_OF(changes); i++)
        assert_int_equal(ask(asking, changes[i]), 405);
    assert_int_equal(ask(asking, "recent"), 200);
    assert_true(says(asking, "{\"recent\":[],\"example\":"));
    asking->request.method = TV_HTTP_PUT;
    assert_int_equal(ask(asking, "recent"), 405);
    assert_int_equal(ask(asking, "cancel"), 202);
    end(asking);
}

static void strangers_may_neither_open_nor_send(void **state)
{
    struct asking *asking = begin();
    (void)state;
    aim(asking, "open?name=a");
    assert_int_equal(body_sink(asking), TV_HTTP_TAKE_PIECES);
    asking->fields[1] = (struct tv_http_field){TV_STR("Origin"), TV_STR("http://evil.example")};
    asking->request.field_count = 2;
    assert_int_equal(body_sink(asking), TV_HTTP_TAKE_MEMORY);
    assert_int_equal(ask(asking, "open?example=1"), 403);
    assert_int_equal(ask(asking, "cancel"), 403);
    asking->request.field_count = 1;
    asking->fields[0].value = TV_STR("evil.example");
    assert_int_equal(body_sink(asking), TV_HTTP_TAKE_MEMORY);
    assert_int_equal(ask(asking, "reload"), 403);
    asking->fields[0].value = TV_STR("localhost");
    asking->target[1] = 'x'; /* another token */
    assert_int_equal(body_sink(asking), TV_HTTP_TAKE_REFUSED);
    end(asking);
}

static void only_a_body_for_open_is_kept(void **state)
{
    static const char *const others[] = {"settings", "open", "open?recent=0x1", "openx?name=a"};
    struct asking *asking = begin();
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(others); i++) {
        aim(asking, others[i]);
        assert_int_equal(body_sink(asking), TV_HTTP_TAKE_MEMORY);
    }
    end(asking);
}

static void load(struct tv_state *state, enum tv_origin_kind kind, const char *path)
{
    struct tv_origin origin;
    struct tv_index index;
    tv_origin_init(&origin, kind, path, TV_STR("a"));
    tv_index_init(&index);
    tv_state_want(state, &origin);
    origin = take_wanted(state);
    assert_int_equal(tv_state_show(state, &index, &origin, 1, 1, NULL), TV_OK);
    assert_true(tv_state_finish(state, &origin, TV_OK, NULL));
    tv_state_end_saving(state);
}

static void reload_needs_a_file_to_read(void **state)
{
    struct asking *asking = begin();
    struct tv_origin origin;
    (void)state;
    assert_int_equal(ask(asking, "reload"), 404);
    load(asking->viewer.traces.of[0], TV_ORIGIN_DROPPED, "/proc/self/fd/9");
    assert_int_equal(ask(asking, "reload"), 409);
    load(asking->viewer.traces.of[0], TV_ORIGIN_FILE, "x.trace");
    assert_int_equal(ask(asking, "reload"), 202);
    origin = take_wanted(asking->viewer.traces.of[0]);
    assert_string_equal(origin.path, "x.trace");
    end(asking);
}

/* What the answer says of the page of the trace. */
static bool is_at(const struct asking *asking, const char *address)
{
    char text[128];
    (void)snprintf(text, sizeof(text), "{\"page\":\"/" TOKEN "%s\"}\n", address);
    return tv_str_equal(tv_buffer_view(&asking->response.owned), tv_str_from(text));
}

static void where_there_is_a_trace_the_next_one_gets_an_address_of_its_own(void **state)
{
    struct asking *asking = begin();
    struct tv_traces *traces = &asking->viewer.traces;
    (void)state;
    upload(asking, "first");
    assert_int_equal(ask(asking, "open?name=first"), 202);
    assert_true(is_at(asking, "/"));
    upload(asking, "second");
    assert_int_equal(ask(asking, "open?name=second"), 202);
    assert_true(is_at(asking, "/t/2/"));
    assert_int_equal(asking->upload.spool.fd, -1); /* taken */
    assert_int_equal(traces->count, 2);
    assert_string_equal(tv_state_look(traces->of[0]).label, "first");
    assert_string_equal(tv_state_look(traces->of[1]).label, "second");
    end(asking);
}

static void a_file_that_is_open_already_is_not_opened_twice(void **state)
{
    struct asking *asking = begin();
    struct tv_traces *traces = &asking->viewer.traces;
    struct tv_origin origin;
    uint64_t number;
    (void)state;
    tv_origin_init(&origin, TV_ORIGIN_FILE, "/proc/self/exe", TV_STR("a"));
    assert_int_not_equal(origin.file_id, 0);
    load(traces->of[0], TV_ORIGIN_FILE, "x.trace");
    assert_int_equal(tv_content_show(&asking->viewer, traces->of[0], &origin, &number, NULL),
                     TV_OK);
    assert_int_equal(number, 2);
    tv_origin_init(&origin, TV_ORIGIN_FILE, "/proc/self/exe", TV_STR("a"));
    assert_int_equal(tv_content_show(&asking->viewer, traces->of[0], &origin, &number, NULL),
                     TV_OK);
    assert_int_equal(number, 2);
    assert_int_equal(traces->count, 2);
    end(asking);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dropped_file_is_wanted_under_its_name),
        cmocka_unit_test(a_mapping_is_wanted_for_the_open_trace),
        cmocka_unit_test(a_mapping_is_named_or_there_is_none),
        cmocka_unit_test(odd_names_are_refused),
        cmocka_unit_test(a_name_of_ten_thousand_bytes_is_refused),
        cmocka_unit_test(what_the_disk_had_no_room_for_is_told),
        cmocka_unit_test(only_what_the_list_has_is_opened_by_id),
        cmocka_unit_test(only_put_changes_and_only_get_tells),
        cmocka_unit_test(strangers_may_neither_open_nor_send),
        cmocka_unit_test(only_a_body_for_open_is_kept),
        cmocka_unit_test(reload_needs_a_file_to_read),
        cmocka_unit_test(where_there_is_a_trace_the_next_one_gets_an_address_of_its_own),
        cmocka_unit_test(a_file_that_is_open_already_is_not_opened_twice),
    };
    return cmocka_run_group_tests_name("server/content", tests, NULL, NULL);
}
