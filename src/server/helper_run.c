/*
 * Helpers of the helper thread; see server/helper_run.h.
 *
 * A helper is this program again, with a verb and options, in a process of its own. A question is
 * run here from start to end: both streams are read until they close or the time is over, and the
 * answer counts only if the helper succeeded and wrote one JSON object.
 */
#include "server/helper_run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/units.h"
#include "os/clock.h"
#include "server/json_check.h"

/* How long a helper has for an answer: adb's server may have to be started, and a device may be
 * slow. */
#define ANSWER_MS 45000
#define MOST_ANSWER ((size_t)1 << 20)

void tv_helper_thread_add(struct tv_helper_thread_words *words, const char *format, ...)
{
    va_list arguments;
    if (words->count + 1 >= TV_HELPER_THREAD_WORDS)
        return;
    va_start(arguments, format);
    (void)vsnprintf(words->of[words->count++], TV_HELPER_THREAD_WORD_CAP, format, arguments);
    va_end(arguments);
}

enum tv_code tv_helper_thread_start(struct tv_helper *helper,
                                    const struct tv_helper_thread_words *words,
                                    struct tv_error *err)
{
    const char *of[TV_HELPER_THREAD_WORDS + 1] = {"traceview"};
    for (size_t i = 0; i < words->count; i++)
        of[i + 1] = words->of[i];
    return tv_helper_start(helper, of, err);
}

bool tv_helper_thread_read(int fd, char *room, size_t cap, size_t *len)
{
    ssize_t got;
    do
        got = read(fd, room, cap);
    while (got < 0 && errno == EINTR);
    *len = got > 0 ? (size_t)got : 0;
    return got > 0 || (got < 0 && errno == EAGAIN);
}

struct tv_str tv_helper_thread_plain(struct tv_str line)
{
    const struct tv_str name = TV_STR("traceview: ");
    if (tv_str_starts_with(line, name))
        line = (struct tv_str){line.at + name.len, line.len - name.len};
    return line;
}

struct asking {
    struct tv_helper helper;
    struct tv_buffer *answer;
    char said[TV_HELPER_THREAD_LINE_CAP];
    size_t said_len;
    uint64_t end_ns;
};

static enum tv_code take_out(struct asking *asking, bool *is_open, struct tv_error *err)
{
    char room[4096];
    size_t len;
    *is_open = tv_helper_thread_read(asking->helper.out, room, sizeof(room), &len);
    if (asking->answer->len + len > MOST_ANSWER)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "the answer is longer than %zu bytes",
                       MOST_ANSWER);
    return tv_buffer_append(asking->answer, room, len, err);
}

/* Reads both streams to their end. What does not fit of the messages is read and dropped, or the
 * helper would wait for its pipe. */
static enum tv_code hear_out(struct asking *asking, struct tv_error *err)
{
    bool is_out = true, is_said = true;
    while (is_out || is_said) {
        struct pollfd polled[] = {{.fd = is_out ? asking->helper.out : -1, .events = POLLIN},
                                  {.fd = is_said ? asking->helper.said : -1, .events = POLLIN}};
        const uint64_t now_ns = tv_now_ns();
        size_t len = 0;
        if (now_ns >= asking->end_ns)
            return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "no answer for %d seconds",
                           ANSWER_MS / 1000);
        (void)poll(polled, TV_COUNT_OF(polled),
                   (int)((asking->end_ns - now_ns) / TV_NS_PER_MS) + 1);
        if (is_out && polled[0].revents)
            TV_TRY(take_out(asking, &is_out, err));
        if (is_said && polled[1].revents) {
            char rest[256]; /* messages beyond the room for them */
            const size_t left = sizeof(asking->said) - asking->said_len;
            is_said = left ? tv_helper_thread_read(asking->helper.said,
                                                   asking->said + asking->said_len, left, &len)
                           : tv_helper_thread_read(asking->helper.said, rest, sizeof(rest), &len);
            asking->said_len += left ? len : 0;
        }
    }
    return TV_OK;
}

/* On a failure the first line of the helper's messages is the error. */
enum tv_code tv_helper_thread_run(const struct tv_helper_thread_words *words,
                                  struct tv_buffer *answer, struct tv_error *err)
{
    struct asking asking = {.answer = answer, .end_ns = tv_now_ns() + ANSWER_MS * TV_NS_PER_MS};
    struct tv_str line = {NULL, 0};
    TV_TRY(tv_helper_thread_start(&asking.helper, words, err));
    enum tv_code code = hear_out(&asking, err);
    if (code != TV_OK)
        tv_helper_signal(&asking.helper, SIGKILL);
    const int status = tv_helper_end(&asking.helper);
    TV_TRY(code);
    struct tv_str said = {asking.said, asking.said_len};
    (void)tv_str_split(&said, '\n', &line);
    if (status == 0 && tv_json_is_object(tv_buffer_view(answer)))
        return TV_OK;
    line = tv_helper_thread_plain(line);
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%.*s",
                   line.len ? (int)line.len : (int)sizeof("there was no answer") - 1,
                   line.len ? line.at : "there was no answer");
}
