/* What the documents about all traces say (site/document/documents.h), as kinds of rows. */
#ifndef TV_SITE_DOCUMENT_FLEET_DATA_H
#define TV_SITE_DOCUMENT_FLEET_DATA_H

#include "compare/comparison.h"
#include "fleet/build_history.h"
#include "fleet/method_history.h"
#include "site/document/template.h"

/* A trace that shows a method, opened at a call. */
struct tv_document_example {
    struct tv_str trace; /* id */
    struct tv_str what;  /* the method's whole name, which the document selects; empty: none */
    uint64_t at_ns, len_ns;
};

/* A method with the text that it is shown by. */
struct tv_document_method {
    struct tv_fleet_method names;
    struct tv_str text;
};

struct tv_document_apps {
    const struct tv_fleet_app *apps;
    size_t count;
    struct tv_str bound; /* a sentence behind a blank, where not all traces are counted */
};

struct tv_document_worst {
    struct tv_document_method method;
    uint64_t exclusive_ns;
    struct tv_document_example example;
    bool has_example;
};
struct tv_document_build {
    const struct tv_fleet_build_figures *figures;
    struct tv_document_worst worst[TV_FLEET_WORST_MOST];
    bool has_before; /* a build stands before it in the order */
};
struct tv_document_builds {
    struct tv_str app;
    const struct tv_document_build *builds; /* the newest first */
    size_t count;
    size_t of; /* how many there are */
    bool is_by_number;
    size_t without_rows; /* traces */
    bool is_archive;     /* they get none */
    struct tv_str bound; /* as in struct tv_document_apps */
};

/* One of several that can be chosen. */
struct tv_document_choice {
    struct tv_str value;
    bool is_old, is_new; /* it is chosen; a device by is_old */
};
/* A method of two builds. */
struct tv_document_change {
    struct tv_document_method method;
    const struct tv_change *change;
    const struct tv_significance_row *test; /* NULL: its time was not tested */
    size_t traces[TV_SIDE_COUNT];
    struct tv_document_example examples[TV_SIDE_COUNT];
    bool has_example[TV_SIDE_COUNT];
};
struct tv_document_build_diff {
    struct tv_str app, device;
    struct tv_str builds[TV_SIDE_COUNT];
    struct tv_str sides; /* what is compared */
    struct tv_str about_calls, about_times;
    bool is_tested; /* times are: changes may have a ratio, a p and a verdict */
    const struct tv_document_choice *choices; /* builds, the newest first */
    size_t choice_count;
    const struct tv_document_choice *devices;
    size_t device_count;
    const struct tv_document_change *calls, *times;
    size_t call_count, time_count;
};

struct tv_document_group {
    const struct tv_method_group *group;
    struct tv_document_example typical, slowest;
};
struct tv_document_history {
    struct tv_str app;
    struct tv_document_method method;
    struct tv_str about;
    const struct tv_document_group *builds; /* the newest first */
    size_t build_count;
    const struct tv_document_group *devices;
    size_t device_count;
};

extern const struct tv_template_kind tv_kind_apps;       /* struct tv_document_apps */
extern const struct tv_template_kind tv_kind_builds;     /* struct tv_document_builds */
extern const struct tv_template_kind tv_kind_build_diff; /* struct tv_document_build_diff */
extern const struct tv_template_kind tv_kind_history;    /* struct tv_document_history */

#endif
