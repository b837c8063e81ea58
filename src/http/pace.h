/*
 * How fast something moves lately: bytes between two marks, the older of which is at least
 * TV_PACE_NS old. So a quick beginning is no credit for later, and a short halt no fault. Pure: the
 * caller tells the time, and guards the struct.
 */
#ifndef TV_HTTP_PACE_H
#define TV_HTTP_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* What is younger is not judged. */
#define TV_PACE_NS UINT64_C(5000000000)

struct tv_pace_mark {
    uint64_t ns;
    uint64_t bytes;
};

struct tv_pace {
    struct tv_pace_mark older;
    struct tv_pace_mark newer;
};

void tv_pace_begin(struct tv_pace *pace, uint64_t bytes, uint64_t now_ns);
/* Is called every now and then with all bytes so far; seldom calls make the judgement older. */
void tv_pace_note(struct tv_pace *pace, uint64_t bytes, uint64_t now_ns);
/* Whether less than `least` bytes have moved a second since the older mark; 0: never. */
bool tv_pace_is_below(const struct tv_pace *pace, uint64_t bytes, uint64_t now_ns, uint64_t least);

#endif
