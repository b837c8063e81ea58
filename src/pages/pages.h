/*
 * The pages of a site (docs/site.md), as markup. What the site knows goes in as plain structs, and
 * a page comes out of a sink: no page asks the store or the clock, so tests and pictures need no
 * server.
 *
 * Every page works without its script; the script (web/src/site) adds progress and what a page
 * keeps for its user. Texts may hold any bytes and are escaped. An empty text stands for what is
 * not known.
 */
#ifndef TV_PAGES_PAGES_H
#define TV_PAGES_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/sink.h"
#include "base/str.h"
#include "pages/files.h"

/* What is the same on every page of a site. */
struct tv_told_site {
    const struct tv_page_files *files;
    struct tv_str base;   /* the base path, "" or "/traces": no slash at its end */
    struct tv_str origin; /* "https://traces.example", as the reader's browser has it */
    struct tv_str user;   /* whom a proxy named; empty: nobody */
    bool has_list;
};

/* Duration of what ends by itself never. */
#define TV_TOLD_FOREVER UINT64_MAX

enum tv_told_uploaders {
    TV_TOLD_ANYBODY,
    TV_TOLD_WITH_SECRET,
    TV_TOLD_NAMED_BY_PROXY,
    TV_TOLD_NOBODY,
};

/* The limits of uploads, for the pages that tell them. */
struct tv_told_limits {
    enum tv_told_uploaders uploaders;
    uint64_t most_bytes;  /* of one trace; 0: no limit */
    uint64_t kept_s;      /* life of a trace whose uploader says nothing, or TV_TOLD_FOREVER */
    uint64_t most_kept_s; /* the longest life that can be asked for, or TV_TOLD_FOREVER */
    uint64_t piece_bytes; /* the most that one request of a resumable upload may bring */
};

struct tv_told_label {
    struct tv_str key, value;
};

enum tv_told_state { TV_TOLD_WAITING, TV_TOLD_READING, TV_TOLD_READY, TV_TOLD_BAD };

struct tv_told_trace {
    struct tv_str id, file, title, note;
    const struct tv_told_label *labels;
    size_t label_count;
    uint64_t bytes;
    uint64_t created_s; /* seconds since 1970 */
    uint64_t expires_s; /* the same, or TV_TOLD_FOREVER */
    enum tv_told_state state;
    struct tv_str reason; /* why it is bad */
    uint64_t place;       /* in the queue, from 1; 0: not known */
    bool is_listed;
    bool is_shared; /* whoever has the link may fetch the file */
};

/* GET / : `sample` is the id of a trace to look at, or empty. */
enum tv_code tv_page_write_start(const struct tv_told_site *site,
                                 const struct tv_told_limits *limits, struct tv_str sample,
                                 struct tv_sink sink, struct tv_error *err) TV_MUST_CHECK;
/* What the form of the start page is answered with: the link, and once the owner token. */
enum tv_code tv_page_write_uploaded(const struct tv_told_site *site,
                                    const struct tv_told_trace *trace, struct tv_str owner_token,
                                    struct tv_sink sink, struct tv_error *err) TV_MUST_CHECK;
/* A trace that waits or is read. */
enum tv_code tv_page_write_waiting(const struct tv_told_site *site,
                                   const struct tv_told_trace *trace, struct tv_sink sink,
                                   struct tv_error *err) TV_MUST_CHECK;
/* A trace that is bad. */
enum tv_code tv_page_write_bad(const struct tv_told_site *site, const struct tv_told_trace *trace,
                               struct tv_sink sink, struct tv_error *err) TV_MUST_CHECK;

/* The owner's form. `problem` says what was wrong with what was sent, or is empty. */
enum tv_code tv_page_write_owner(const struct tv_told_site *site, const struct tv_told_trace *trace,
                                 const struct tv_told_limits *limits, struct tv_str problem,
                                 struct tv_sink sink, struct tv_error *err) TV_MUST_CHECK;

struct tv_told_thread {
    uint32_t tid;
    struct tv_str name;
    uint64_t calls;
    bool is_sampled; /* its calls are runs of samples */
};

/* All flame graphs of a trace. Threads without calls are left out and counted. */
enum tv_code tv_page_write_flames(const struct tv_told_site *site,
                                  const struct tv_told_trace *trace,
                                  const struct tv_told_thread *threads, size_t thread_count,
                                  struct tv_sink sink, struct tv_error *err) TV_MUST_CHECK;

struct tv_told_list {
    struct tv_str search; /* as it was typed */
    const struct tv_told_trace *traces;
    size_t trace_count;
    bool is_first;
    struct tv_str next; /* where the next page begins, for ?after=; empty: nowhere */
};

enum tv_code tv_page_write_list(const struct tv_told_site *site, const struct tv_told_list *list,
                                struct tv_sink sink, struct tv_error *err) TV_MUST_CHECK;
/* GET /stored: what a site keeps of whoever uses it. */
enum tv_code tv_page_write_stored(const struct tv_told_site *site,
                                  const struct tv_told_limits *limits, struct tv_sink sink,
                                  struct tv_error *err) TV_MUST_CHECK;
/* A refusal, by its HTTP status. */
enum tv_code tv_page_write_problem(const struct tv_told_site *site, unsigned status,
                                   struct tv_str reason, struct tv_sink sink,
                                   struct tv_error *err) TV_MUST_CHECK;

/* The content policies of all these pages, and of the picture of one thread's flame graph. */
const char *tv_pages_policy(void);
const char *tv_pages_picture_policy(void);

#endif
