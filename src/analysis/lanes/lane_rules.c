/*
 * The methods of Android that messages, frames and start-ups are known by; see
 * analysis/lanes/lane_rules.h. A rule compares
 * the class and the name of a method and ignores its signature.
 */
#include "analysis/lanes/lane_rules.h"

#include "base/compiler.h"

/* Within another method of the same lane a method counts no more: the outermost is the message, the
 * frame, the phase or the part. */
const struct tv_lane_rule tv_lane_rules[] = {
    {.lane = TV_LANE_MESSAGE, .class_name = "android.os.Handler", .method = "dispatchMessage"},
    {.lane = TV_LANE_FRAME, .class_name = "android.view.Choreographer", .method = "doFrame"},
    /* Before Android 4.1 there was no choreographer, and a frame was a message of its own. */
    {.lane = TV_LANE_FRAME, .class_name = "android.view.ViewRoot", .method = "performTraversals"},
    {.lane = TV_LANE_FRAME_PART,
     .class_name = "android.view.ViewRootImpl",
     .method = "performMeasure",
     .part = TV_FRAME_MEASURE},
    {.lane = TV_LANE_FRAME_PART,
     .class_name = "android.view.ViewRootImpl",
     .method = "performLayout",
     .part = TV_FRAME_LAYOUT},
    {.lane = TV_LANE_FRAME_PART,
     .class_name = "android.view.ViewRootImpl",
     .method = "performDraw",
     .part = TV_FRAME_DRAW},
    {.lane = TV_LANE_FRAME_PART,
     .class_name = "android.view.ViewRoot",
     .method = "draw",
     .part = TV_FRAME_DRAW},
    {.lane = TV_LANE_PHASE,
     .class_name = "android.app.ActivityThread",
     .method = "handleBindApplication",
     .label = "bindApplication"},
    {.lane = TV_LANE_PHASE,
     .class_name = "android.app.Instrumentation",
     .method = "callApplicationOnCreate",
     .label = "Application.onCreate"},
    {.lane = TV_LANE_PHASE,
     .class_name = "android.app.Instrumentation",
     .method = "callActivityOnCreate",
     .label = "Activity.onCreate"},
    {.lane = TV_LANE_PHASE,
     .class_name = "android.app.Instrumentation",
     .method = "callActivityOnStart",
     .label = "Activity.onStart"},
    {.lane = TV_LANE_PHASE,
     .class_name = "android.app.Instrumentation",
     .method = "callActivityOnResume",
     .label = "Activity.onResume",
     .end = TV_LANE_THEN_FIRST_FRAME},
};
const size_t tv_lane_rule_count = TV_COUNT_OF(tv_lane_rules);

static const char *const passed_classes[] = {"android.os.Handler"};

size_t tv_lane_rule_find(struct tv_str class_name, struct tv_str method)
{
    for (size_t i = 0; i < tv_lane_rule_count; i++) {
        if (tv_str_equal(class_name, tv_str_from(tv_lane_rules[i].class_name)) &&
            tv_str_equal(method, tv_str_from(tv_lane_rules[i].method)))
            return i;
    }
    return tv_lane_rule_count;
}

bool tv_lane_is_passed(struct tv_str class_name)
{
    for (size_t i = 0; i < TV_COUNT_OF(passed_classes); i++) {
        if (tv_str_equal(class_name, tv_str_from(passed_classes[i])))
            return true;
    }
    return false;
}
