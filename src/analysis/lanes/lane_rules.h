/*
 * What of an Android app's main thread is a message, a frame, a part of a frame, or a phase of the
 * start-up: one table of methods, in lane_rules.c. docs/numbers.md, "Messages and frames".
 */
#ifndef TV_ANALYSIS_LANES_LANE_RULES_H
#define TV_ANALYSIS_LANES_LANE_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

enum tv_lane { TV_LANE_MESSAGE, TV_LANE_FRAME, TV_LANE_PHASE, TV_LANE_FRAME_PART };
#define TV_LANE_COUNT 3u /* parts belong to their frames, and have no lane of their own */

enum tv_frame_part { TV_FRAME_MEASURE, TV_FRAME_LAYOUT, TV_FRAME_DRAW };
#define TV_FRAME_PARTS 3u

/* A phase after which the next frame is the first that the user sees. */
enum tv_lane_end { TV_LANE_GOES_ON, TV_LANE_THEN_FIRST_FRAME };

struct tv_lane_rule {
    enum tv_lane lane;
    const char *class_name;
    const char *method;
    const char *label;       /* of a phase; else NULL */
    enum tv_frame_part part; /* of TV_LANE_FRAME_PART */
    enum tv_lane_end end;    /* of TV_LANE_PHASE */
};

#define TV_FIRST_FRAME_LABEL "first frame"

extern const struct tv_lane_rule tv_lane_rules[];
extern const size_t tv_lane_rule_count;

/* The place of the rule for a method, or tv_lane_rule_count. */
size_t tv_lane_rule_find(struct tv_str class_name, struct tv_str method);
/* Whether a message of the looper passes through methods of the class before it comes to what it
 * does. */
bool tv_lane_is_passed(struct tv_str class_name);

#endif
