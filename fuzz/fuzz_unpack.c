/*
 * Packed files and packets of any bytes: what they unpack to keeps within the bound, a second
 * unpacking gives the same, and bytes that are not packed give nothing.
 */
#include <string.h>

#include "check.h"
#include "os/file/unpack.h"

#define MOST ((uint64_t)1 << 20)
/* What one step may write beyond the bound before it is told. */
#define STEP ((uint64_t)1)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const struct tv_inflate_opts opts = {.most_len = MOST};
    struct tv_buffer once, again;
    struct tv_error err;
    bool is_cut, is_cut_again;
    tv_buffer_init(&once, tv_alloc_libc());
    tv_buffer_init(&again, tv_alloc_libc());
    enum tv_code code = tv_unpack(bytes, len, &opts, &once, &is_cut, &err);
    FUZZ_CHECK(tv_unpack(bytes, len, &opts, &again, &is_cut_again, &err) == code);
    FUZZ_CHECK(once.len == again.len && is_cut == is_cut_again);
    FUZZ_CHECK(!once.len || !memcmp(once.bytes, again.bytes, once.len));
    /* plain bytes of packets are copied, and are no more than the file */
    FUZZ_CHECK(once.len <= MOST + STEP + len);
    FUZZ_CHECK(tv_is_packed(bytes, len) || (code == TV_OK && !once.len));
    tv_buffer_release(&again);
    tv_buffer_release(&once);
    return 0;
}
