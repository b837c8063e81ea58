/*
 * The budget and the gate of `traceview frames`; see cli/answers/frames_gate.h. What makes a trace
 * unfit for the gate is what `traceview check` ends with status 3 for, and a trace without the wall
 * clock or without frames: a gate that cannot judge does not let pass.
 *
 * A budget has two values: as people spell it (16.7 ms) and as the display has it (16.666667 ms).
 *
 * A verdict needs frames, whole data and a clock of the wall; is_unfit() says which of them is
 * lacking. The gate only judges: what was counted comes from verb_frames.c.
 */
#include "cli/answers/frames_gate.h"

#include <inttypes.h>
#include <stdio.h>

#include "analysis/health.h"
#include "analysis/lanes/lanes.h"
#include "base/compiler.h"
#include "base/finding.h"
#include "base/numbers/shown_number.h"
#include "base/units.h"

/* A run of frames is told from a frame where looks are this much closer than the budget: the main
 * thread then rarely goes from one frame to the next between two of them. */
#define LOOKS_OF_A_BUDGET 20u

/* People write 16.7 and mean a sixtieth of a second, which is a little less. What is judged is the
 * display's real period; what is shown is what was written. */
struct tv_frames_budget tv_frames_budget_of(struct tv_time_value asked)
{
    static const struct tv_frames_budget displays[] = {
        {16700000, TV_FRAME_BUDGET_NS}, /* 60 Hz */
        {33300000, 33333333},           /* 30 Hz */
        {11100000, 11111111},           /* 90 Hz */
        {8300000, 8333333},             /* 120 Hz */
        {6900000, 6944444},             /* 144 Hz */
    };
    if (!asked.is_given)
        return displays[0];
    for (size_t i = 0; i < TV_COUNT_OF(displays); i++) {
        if (asked.time_ns == displays[i].spelled_ns)
            return displays[i];
    }
    return (struct tv_frames_budget){asked.time_ns, asked.time_ns};
}

/* Adds the budget as the user wrote it, without zeros at the end. */
void tv_frames_add_budget(struct tv_text *out, const struct tv_frames_budget *budget)
{
    unsigned part = (unsigned)(budget->spelled_ns % TV_NS_PER_MS);
    int digits = 6;
    tv_text_add_count(out, budget->spelled_ns / TV_NS_PER_MS);
    for (; part && part % 10 == 0; digits--)
        part /= 10;
    if (part)
        tv_text_add(out, ".%0*u", digits, part);
}

/* Says what is wrong with the trace; false: nothing is. */
static bool is_unfit(struct tv_frames_gate *gate, const struct tv_index *index)
{
    static const char judged[] = "--fail-over cannot be judged";
    struct tv_overflow overflow;
    enum tv_finding_kind kind;
    char room[TV_SHOWN_MOST];
    if (tv_health_overflow(index, &overflow)) {
        struct tv_str share = tv_shown_percent(room, (int64_t)overflow.missing_ns, overflow.run_ns);
        (void)snprintf(gate->why, sizeof(gate->why), "%s: the last %.*s %% of the run is missing",
                       judged, (int)share.len, share.at);
    } else if (tv_health_disqualifies(index, &kind))
        (void)snprintf(gate->why, sizeof(gate->why), "%s: %s (%s)", judged,
                       tv_severity_name(tv_finding_severity(kind)), tv_finding_name(kind));
    else if (!index->info->has_clock[TV_CLOCK_WALL])
        (void)snprintf(gate->why, sizeof(gate->why),
                       "%s: without the wall clock nobody knows how long a frame took", judged);
    return gate->why[0] != '\0';
}

/* Whether frames in a row may be told as one, and says so. Then neither late frames nor the lack of
 * them say anything. */
static bool is_too_coarse(struct tv_frames_gate *gate, const struct tv_index *index,
                          const struct tv_frames_counts *counts)
{
    char room[TV_SHOWN_MOST];
    if (!index->info->is_sampled || !counts->frames ||
        (counts->interval_ns && counts->interval_ns <= counts->budget_ns / LOOKS_OF_A_BUDGET))
        return false;
    struct tv_str most = tv_shown_ms(room, (int64_t)(counts->budget_ns / LOOKS_OF_A_BUDGET));
    (void)snprintf(gate->why, sizeof(gate->why),
                   "--fail-over cannot be judged: samples tell frames in a row as one where looks "
                   "are more than %.*s ms apart, as they may be here; record every call",
                   (int)most.len, most.at);
    return true;
}

/* A trace that cannot be judged (no frames, or lost data) fails the gate: a gate that passes
 * because it saw nothing would hide a broken recording. */
void tv_frames_gate_judge(struct tv_frames_gate *gate, const struct tv_index *index,
                          const struct tv_frames_counts *counts)
{
    gate->why[0] = '\0';
    if (is_too_coarse(gate, index, counts))
        return;
    if (counts->late > counts->accepted)
        (void)snprintf(gate->why, sizeof(gate->why),
                       "%" PRIu64 " %s over the budget, and --fail-over accepts %" PRIu64,
                       counts->late, counts->late == 1 ? "frame is" : "frames are",
                       counts->accepted);
    else if (!is_unfit(gate, index) && !counts->frames)
        (void)snprintf(gate->why, sizeof(gate->why),
                       "--fail-over cannot be judged: the main thread drew no frames");
    else if (!gate->why[0] && counts->late + counts->cut > counts->accepted)
        (void)snprintf(gate->why, sizeof(gate->why),
                       "--fail-over cannot be judged: %" PRIu64
                       " %s before the recording or did not end in it",
                       counts->cut, counts->cut == 1 ? "frame began" : "frames began");
}

int tv_frames_gate_status(const struct tv_frames_gate *gate, const struct tv_cli *cli,
                          const char *file)
{
    if (!gate->why[0])
        return TV_STATUS_FINE;
    tv_cli_note(cli, file, "%s", gate->why);
    return TV_STATUS_BELOW;
}
