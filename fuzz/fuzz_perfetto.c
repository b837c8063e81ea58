/* Perfetto traces that carry dumps: whatever the bytes are, reading ends well and does not depend
 * on the batches. */
#include "check.h"
#include "format/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (fuzz_is_family(bytes, len, &tv_format_perfetto))
        fuzz_read_twice(bytes, len, FUZZ_NO_SIDE);
    return 0;
}
