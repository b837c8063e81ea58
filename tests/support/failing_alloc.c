/* See support/failing_alloc.h. A head before each block holds its length. */
#include "support/failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define HEAD_LEN 16u /* keeps blocks aligned for any type */

static void release(struct failing_alloc *failing, char *block, size_t len)
{
    const struct tv_alloc *libc = tv_alloc_libc();
    failing->live -= len;
    (void)libc->resize(libc->ctx, block - HEAD_LEN, len + HEAD_LEN, 0);
}

static char *owned(struct failing_alloc *failing, char *head, size_t len)
{
    memcpy(head, &len, sizeof(len));
    failing->live += len;
    failing->peak = failing->live > failing->peak ? failing->live : failing->peak;
    return head + HEAD_LEN;
}

static char *take(struct failing_alloc *failing, size_t len)
{
    const struct tv_alloc *libc = tv_alloc_libc();
    char *head = libc->resize(libc->ctx, NULL, 0, len + HEAD_LEN);
    if (!head)
        return NULL;
    memset(head + HEAD_LEN, 0x5a, len); /* what is left unset shows */
    return owned(failing, head, len);
}

static void *resize(void *ctx, void *block, size_t old_len, size_t new_len)
{
    struct failing_alloc *failing = ctx;
    size_t len = 0;
    if (block)
        memcpy(&len, (char *)block - HEAD_LEN, sizeof(len));
    failing->was_lied_to |= len != old_len;
    if (new_len > len && failing->requests++ == failing->fail_at) {
        failing->has_failed = true;
        return NULL;
    }
    char *moved = new_len ? take(failing, new_len) : NULL;
    if (new_len && !moved)
        return NULL;
    if (block) {
        if (moved)
            memcpy(moved, block, len < new_len ? len : new_len);
        release(failing, block, len);
    }
    return moved;
}

static void *zeroed(void *ctx, size_t len)
{
    struct failing_alloc *failing = ctx;
    const struct tv_alloc *libc = tv_alloc_libc();
    if (failing->requests++ == failing->fail_at) {
        failing->has_failed = true;
        return NULL;
    }
    char *head = libc->zeroed(libc->ctx, len + HEAD_LEN);
    return head ? owned(failing, head, len) : NULL;
}

void failing_alloc_init(struct failing_alloc *failing, uint64_t fail_at)
{
    *failing = (struct failing_alloc){.alloc = {.resize = resize, .ctx = failing, .zeroed = zeroed},
                                      .fail_at = fail_at};
}

uint64_t failing_alloc_each(failing_alloc_work work, void *ctx)
{
    for (uint64_t n = 0;; n++) {
        struct failing_alloc failing;
        failing_alloc_init(&failing, n);
        const enum tv_code code = work(&failing.alloc, ctx);
        const enum tv_code expected = failing.has_failed ? TV_ERR_MEMORY : TV_OK;
        if (code != expected || failing.live || failing.was_lied_to)
            fail_msg("request %llu of memory: code %d instead of %d, %llu bytes left, %s",
                     (unsigned long long)n, (int)code, (int)expected,
                     (unsigned long long)failing.live,
                     failing.was_lied_to ? "a length was wrong" : "all lengths right");
        if (!failing.has_failed)
            return n;
    }
}
