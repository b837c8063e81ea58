/*
 * The difference of two traces of a site; see cli/site/pushed_diff.h.
 *
 * The site answers 409 until the new trace is read, so it is asked again until then. Of its answer,
 * which is that of the route `diff` (docs/api.md), the counts are told: they decide from one
 * recording a side on, and times do not.
 */
#include "cli/site/pushed_diff.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/text/json_read.h"
#include "base/units.h"
#include "cli/wording.h"
#include "os/clock.h"

#define ANSWER_MOST ((uint64_t)16 << 20)
#define ANSWER_S 120u
#define LONGEST_WAIT_NS (UINT64_C(900) * TV_NS_PER_S)
#define PAUSE_NS UINT64_C(500000000)

/* A method of the list `calls`, or one side of the whole. */
struct side {
    uint64_t least, most, total_ns;
};

/* What is read of the answer, in its order. */
struct reading {
    struct tv_json_reader json;
    struct tv_text text;
    struct side old, now;
    uint64_t changed;
    bool has_counts; /* counts were compared */
};

/* --- the answer --- */

static bool is_key(const struct reading *reading, const char *key)
{
    return tv_str_equal(reading->json.raw, tv_str_from(key));
}

/* A value that is a number, or an array of numbers of which the first and last are kept. */
static enum tv_code read_numbers(struct reading *reading, uint64_t *first, uint64_t *last,
                                 struct tv_error *err)
{
    enum tv_json_token token;
    bool is_first = true;
    TV_TRY(tv_json_read(&reading->json, &token, err));
    bool is_array = token == TV_JSON_ARRAY;
    for (;;) {
        if (is_array)
            TV_TRY(tv_json_read(&reading->json, &token, err));
        if (token != TV_JSON_NUMBER)
            return TV_OK;
        if (!tv_str_to_u64(reading->json.raw, 10, last))
            *last = 0;
        if (is_first)
            *first = *last;
        is_first = false;
        if (!is_array)
            return TV_OK;
    }
}

/* "calls" and "total_ns" of an object. */
static enum tv_code read_side(struct reading *reading, struct side *side, struct tv_error *err)
{
    enum tv_json_token token;
    uint64_t ignored;
    TV_TRY(tv_json_read(&reading->json, &token, err));
    for (;;) {
        TV_TRY(tv_json_read(&reading->json, &token, err));
        if (token != TV_JSON_KEY)
            return TV_OK;
        if (is_key(reading, "calls"))
            TV_TRY(read_numbers(reading, &side->least, &side->most, err));
        else if (is_key(reading, "total_ns"))
            TV_TRY(read_numbers(reading, &side->total_ns, &ignored, err));
        else {
            TV_TRY(tv_json_read(&reading->json, &token, err));
            TV_TRY(tv_json_read_past(&reading->json, token, err));
        }
    }
}

static void tell_calls(struct tv_text *text, const struct side *side)
{
    tv_text_add_range(text, side->least, side->most);
}

/* Names are unescaped in place of the raw text, which is never shorter; the text is the caller's.
 */
static enum tv_code read_method(struct reading *reading, char *name, size_t cap,
                                struct tv_error *err)
{
    struct side old = {0};
    struct side now = {0};
    struct tv_str method = TV_STR("");
    enum tv_json_token token;
    for (;;) {
        TV_TRY(tv_json_read(&reading->json, &token, err));
        if (token != TV_JSON_KEY)
            break;
        bool is_method = is_key(reading, "method");
        bool is_old = is_key(reading, "old");
        if (is_old || is_key(reading, "new")) {
            TV_TRY(read_side(reading, is_old ? &old : &now, err));
            continue;
        }
        TV_TRY(tv_json_read(&reading->json, &token, err));
        if (is_method && token == TV_JSON_STRING && reading->json.raw.len <= cap) {
            size_t len;
            TV_TRY(tv_json_unescape(reading->json.raw, name, &len, err));
            method = (struct tv_str){name, len};
        }
        TV_TRY(tv_json_read_past(&reading->json, token, err));
    }
    tv_text_add(&reading->text, "  ");
    tell_calls(&reading->text, &old);
    tv_text_add(&reading->text, " -> ");
    tell_calls(&reading->text, &now);
    tv_text_add(&reading->text, "  ");
    tv_text_add_name(&reading->text, method);
    tv_text_add(&reading->text, "\n");
    return TV_OK;
}

static enum tv_code read_methods(struct reading *reading, struct tv_error *err)
{
    char name[4096];
    enum tv_json_token token;
    TV_TRY(tv_json_read(&reading->json, &token, err));
    for (;;) {
        TV_TRY(tv_json_read(&reading->json, &token, err));
        if (token != TV_JSON_OBJECT)
            return TV_OK;
        TV_TRY(read_method(reading, name, sizeof(name), err));
    }
}

static enum tv_code read_verdicts(struct reading *reading, struct tv_error *err)
{
    enum tv_json_token token;
    uint64_t ignored;
    reading->has_counts = true;
    TV_TRY(tv_json_read(&reading->json, &token, err));
    for (;;) {
        TV_TRY(tv_json_read(&reading->json, &token, err));
        if (token != TV_JSON_KEY)
            return TV_OK;
        bool is_changed = is_key(reading, "changed");
        uint64_t count = 0;
        TV_TRY(read_numbers(reading, &count, &ignored, err));
        if (is_changed)
            reading->changed = count;
    }
}

static enum tv_code read_answer(struct reading *reading, struct tv_error *err)
{
    enum tv_json_token token;
    TV_TRY(tv_json_read(&reading->json, &token, err));
    for (;;) {
        TV_TRY(tv_json_read(&reading->json, &token, err));
        if (token != TV_JSON_KEY)
            return TV_OK;
        if (is_key(reading, "old"))
            TV_TRY(read_side(reading, &reading->old, err));
        else if (is_key(reading, "new"))
            TV_TRY(read_side(reading, &reading->now, err));
        else if (is_key(reading, "calls_verdicts"))
            TV_TRY(read_verdicts(reading, err));
        else if (is_key(reading, "calls"))
            TV_TRY(read_methods(reading, err));
        else {
            TV_TRY(tv_json_read(&reading->json, &token, err));
            TV_TRY(tv_json_read_past(&reading->json, token, err));
        }
    }
}

/* --- the question --- */

/* Waits until the new trace is read. */
static enum tv_code ask(const char *url, const char *bearer, struct tv_buffer *body,
                        struct tv_web_answer *answer, struct tv_error *err)
{
    const uint64_t begun_ns = tv_now_ns();
    const struct timespec pause = tv_timespec_of(PAUSE_NS);
    const struct tv_web_request request = {.method = "GET",
                                           .url = url,
                                           .headers = {bearer},
                                           .answer = tv_buffer_sink(body),
                                           .most = ANSWER_MOST,
                                           .whole_s = ANSWER_S};
    for (;;) {
        body->len = 0;
        TV_TRY(tv_web_ask(&request, answer, err));
        bool is_early = answer->status == 409 || answer->is_worth_another_try;
        if (!is_early || tv_passed_ns(begun_ns, tv_now_ns()) > LONGEST_WAIT_NS)
            return TV_OK;
        (void)nanosleep(&pause, NULL);
    }
}

static void tell_head(struct tv_text *text, const struct reading *reading)
{
    tv_text_add(text, "all threads together: ");
    tv_text_add_ms(text, (int64_t)reading->old.total_ns);
    tv_text_add(text, " -> ");
    tv_text_add_ms(text, (int64_t)reading->now.total_ns);
    tv_text_add(text, " ms, ");
    tv_text_add_count(text, reading->old.least);
    tv_text_add(text, " -> ");
    tv_text_add_count(text, reading->now.least);
    tv_text_add(text, " calls\n");
    if (reading->has_counts) {
        tv_text_add(text, "methods that are called more or less often: ");
        tv_text_add_count(text, reading->changed);
        tv_text_add(text, "\n");
    } else {
        tv_text_add(text,
                    "calls are not compared: a trace has lost data, or methods cannot be told "
                    "apart\n");
    }
}

static int tell(const struct tv_cli *cli, const struct tv_site_link *link,
                const struct tv_pushed_diff *against, struct tv_buffer *body)
{
    struct reading reading = {.json = tv_json_reader_of(tv_buffer_view(body))};
    struct tv_error err = {.code = TV_OK};
    struct tv_text head;
    tv_text_init(&reading.text, cli->alloc);
    tv_text_init(&head, cli->alloc);
    enum tv_code code = read_answer(&reading, &err);
    if (code == TV_OK && against->json) {
        tv_cli_answer(cli, tv_buffer_view(body));
    } else if (code == TV_OK) {
        tell_head(&head, &reading);
        tv_text_take_code(&head, &reading.text);
        tv_text_add_str(&head, tv_text_view(&reading.text));
        tv_text_add(&head, "all of it: %s/compare?old=%s&new=%s\n", link->site, against->old->id,
                    link->id);
        tv_cli_answer_text(cli, tv_text_view(&head));
    }
    tv_text_release(&head);
    tv_text_release(&reading.text);
    if (code != TV_OK)
        return tv_cli_fail(cli, link->site, &err);
    return reading.changed ? TV_STATUS_BELOW : TV_STATUS_FINE;
}

int tv_pushed_diff(const struct tv_cli *cli, const struct tv_site_link *link,
                   const struct tv_pushed_diff *against)
{
    char url[TV_SITE_PATH_CAP + 64];
    struct tv_web_answer answer = {.status = 0};
    struct tv_error err = {.code = TV_OK};
    struct tv_buffer body;
    (void)snprintf(url, sizeof(url), "%s/api/v1/traces/%s/view/diff?old=%s", link->site, link->id,
                   against->old->id);
    tv_buffer_init(&body, cli->alloc);
    enum tv_code code = ask(url, against->bearer, &body, &answer, &err);
    int status = code == TV_OK && answer.status == 200 ? tell(cli, link, against, &body)
                                                       : tv_site_refused(cli, url, &answer, &err);
    tv_buffer_release(&body);
    return status;
}
