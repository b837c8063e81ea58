/* Files of any kind: they are read or refused with a sentence. */
#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    fuzz_read_twice(bytes, len, FUZZ_NO_SIDE);
    return 0;
}
