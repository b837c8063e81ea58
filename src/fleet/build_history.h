/*
 * What became of an app from build to build: figures of its traces, and the methods that take most
 * of their time.
 */
#ifndef TV_FLEET_BUILD_HISTORY_H
#define TV_FLEET_BUILD_HISTORY_H

#include "fleet/fleet_trace.h"

/* Of a build: how many methods are listed, and over how many of its newest runs. */
#define TV_FLEET_WORST_MOST 3u
#define TV_FLEET_WORST_RUNS 10u

/* An app, with what its traces say. */
struct tv_fleet_app {
    struct tv_str name;
    size_t traces, builds;
    int64_t last;             /* when its last trace came */
    struct tv_str last_build; /* the last one in the order of builds; empty: there is none */
};
/* The apps of the traces, by name. The arena keeps the list; the texts are borrowed. */
enum tv_code tv_fleet_apps_find(const struct tv_fleet_trace *traces, size_t count,
                                struct tv_arena *arena, struct tv_fleet_app **apps,
                                size_t *app_count, struct tv_error *err) TV_MUST_CHECK;

/* A method of a build with its median over these runs. */
struct tv_fleet_worst {
    struct tv_fleet_method names;
    uint64_t exclusive_ns;
    const struct tv_fleet_trace *example; /* the trace with the longest call of the method */
    uint64_t slowest_ns, slowest_at_ns;   /* of that call */
};

/* Medians are over the traces that have the figure, and wall times as they were; 0: none has. */
struct tv_fleet_build_figures {
    const struct tv_fleet_build *build;
    size_t devices; /* different ones, the traces without one being one */
    uint64_t duration_ns, worst_frame_ns, startup_ns;
    size_t startups, frames; /* traces that have a start-up, a frame */
    size_t odd_wall;         /* traces whose wall times are less than they were */
    enum tv_clock clock;     /* of the methods */
    size_t runs;             /* that the methods are of */
    struct tv_fleet_worst worst[TV_FLEET_WORST_MOST];
    size_t worst_count;
};
/* Fills in all of a build. The arena keeps the names. */
enum tv_code tv_fleet_build_look(struct tv_fleet_build_figures *figures,
                                 const struct tv_fleet_build *build, struct tv_fleet_reader *reader,
                                 struct tv_arena *arena, struct tv_error *err) TV_MUST_CHECK;

#endif
