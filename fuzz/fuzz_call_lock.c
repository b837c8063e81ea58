/*
 * A lockfile of calls, of any bytes: it is refused in one line, or read; what was read is sorted,
 * and written as a file that gives the same lines.
 */
#include "base/memory/buffer.h"
#include "check.h"
#include "compare/call_lock.h"

static void check_lines(const struct tv_call_lock *lock)
{
    for (size_t i = 0; i < lock->count; i++) {
        const struct tv_lock_line *line = &lock->lines[i];
        FUZZ_CHECK(line->name.len && line->most && line->least <= line->most);
        FUZZ_CHECK(!i || tv_str_compare(lock->lines[i - 1].name, line->name) < 0);
    }
}

static void check_same(const struct tv_call_lock *a, const struct tv_call_lock *b)
{
    FUZZ_CHECK(a->count == b->count && a->runs == b->runs);
    FUZZ_CHECK(tv_str_equal(a->subject.mine, b->subject.mine));
    for (size_t i = 0; i < a->count; i++) {
        FUZZ_CHECK(tv_lock_compare(&a->lines[i], &b->lines[i]) == TV_LOCK_SAME);
        FUZZ_CHECK(tv_str_equal(a->lines[i].name, b->lines[i].name));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct tv_call_lock lock;
    struct tv_call_lock again;
    struct tv_buffer written;
    struct tv_error err = {.code = TV_OK};
    tv_call_lock_init(&lock, tv_alloc_libc());
    tv_call_lock_init(&again, tv_alloc_libc());
    tv_buffer_init(&written, tv_alloc_libc());
    if (tv_call_lock_read(&lock, (struct tv_str){(const char *)bytes, len}, &err) == TV_OK) {
        check_lines(&lock);
        FUZZ_CHECK(tv_call_lock_write(&lock, tv_buffer_sink(&written), &err) == TV_OK);
        FUZZ_CHECK(tv_call_lock_read(&again, tv_buffer_view(&written), &err) == TV_OK);
        check_same(&lock, &again);
    } else {
        FUZZ_CHECK(err.text[0] && !lock.lines);
    }
    tv_buffer_release(&written);
    tv_call_lock_release(&again);
    tv_call_lock_release(&lock);
    return 0;
}
