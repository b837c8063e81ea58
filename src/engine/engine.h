/*
 * Traces and the answers about them, for a page without a server: what docs/engine.md describes.
 * The pure folders do the work; here stands what the program has os, server and cli for: the bytes
 * of a file, the indexes, the answer that waits to be taken.
 *
 * An engine belongs to one thread. Everything it gives is its own, until the next call.
 */
#ifndef TV_ENGINE_ENGINE_H
#define TV_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/lean/lean.h"
#include "api/api.h"
#include "api/diff_query.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/sink.h"
#include "base/str.h"
#include "export/single_file/single_file_part.h"
#include "index/index.h"
#include "retrace/renaming.h"
#include "retrace/retrace.h"

/* The longest trace, and all of them together. A page has 4 GiB of addresses for the file, the
 * index and an answer, and an index of an ordinary trace takes as many bytes as its file while it
 * is built. */
#define TV_ENGINE_TRACE_MOST ((uint64_t)1536 << 20)

/* Told of work under way: false ends it. */
struct tv_engine_progress {
    bool (*tell)(void *ctx, uint64_t done, uint64_t of); /* may be NULL */
    void *ctx;
};

/* As many as one question can be about. A question names a trace by its place, as a digit of base
 * 32: 0 to 9, a to v. */
#define TV_ENGINE_TRACES TV_DIFF_TRACES_MOST

struct tv_engine_trace {
    struct tv_index index;
    bool has_index;
    uint64_t file_len;          /* bytes of the file that the index is of; 0 without one */
    struct tv_lean_cache leans; /* of the index */
    struct tv_buffer name;      /* of the trace's file */
};

struct tv_engine;

/* The mapping by which the methods of the next trace are renamed. */
struct tv_engine_mapping {
    /* NULL: there is none. `end` lets go of it, and says why it is refused. */
    enum tv_code (*begin)(struct tv_engine *engine, struct tv_trace *trace, struct tv_error *err);
    enum tv_code (*end)(struct tv_engine *engine, enum tv_code code, struct tv_error *err);
    const struct tv_trace *trace; /* while it is read */
    uint8_t *text;
    size_t len, cap;
    bool is_forced;  /* taken although it is of another build */
    bool is_refused; /* the last trace was not read, since the mapping is of another build */
    struct tv_retracer retracer;
    struct tv_renaming renaming;
};

struct tv_engine {
    const struct tv_alloc *alloc;
    struct tv_engine_progress progress;
    uint8_t *bytes; /* room for a file, until it is read */
    size_t bytes_cap;
    struct tv_engine_mapping mapping;
    struct tv_engine_trace traces[TV_ENGINE_TRACES];
    size_t meant; /* the place of the trace that the functions below read, ask and let go of */
    struct tv_api_response answer;
    struct tv_single_file_part part; /* that a page is to have in it */
    uint8_t *pieces;                 /* room for the pieces of that page */
    size_t pieces_cap;
};

void tv_engine_init(struct tv_engine *engine, const struct tv_alloc *alloc,
                    const struct tv_engine_progress *progress);
/* Lets go of the trace that is meant, and of all rooms. */
void tv_engine_release(struct tv_engine *engine);

static inline struct tv_engine_trace *tv_engine_meant(struct tv_engine *engine)
{
    return &engine->traces[engine->meant];
}

/*
 * Makes room for a file of `len` bytes; *at points to it until the file is read. Called again
 * before that, it makes the room longer and keeps what stands in it. The former trace is let go of.
 * TV_ERR_LIMIT where no page can hold `len` bytes, alone or beside the other traces; TV_ERR_MEMORY
 * where the browser refuses this page the memory; either text says what to do.
 */
enum tv_code tv_engine_reserve(struct tv_engine *engine, uint64_t len, uint8_t **at,
                               struct tv_error *err) TV_MUST_CHECK;

enum tv_engine_file {
    TV_ENGINE_FILE_WHOLE,
    TV_ENGINE_FILE_CUT /* it was unpacked from a file that ends early */
};

/* Makes the first `len` bytes of the room the mapping of the next trace that is read, for which
 * room is to be made anew. When that is read, engine->answer has what the mapping knows, as JSON.
 */
enum tv_code tv_engine_take_mapping(struct tv_engine *engine, size_t len, bool is_forced,
                                    struct tv_error *err) TV_MUST_CHECK;

/* Reads the first `len` bytes of the room as the trace that is meant, and gives the room back. */
enum tv_code tv_engine_load(struct tv_engine *engine, struct tv_str name, size_t len,
                            enum tv_engine_file file, struct tv_error *err) TV_MUST_CHECK;

/* TV_ERR_NOT_FOUND: there is no trace to ask about. */
enum tv_code tv_engine_need_index(struct tv_engine *engine, struct tv_error *err) TV_MUST_CHECK;

/* Asks a route of the api. engine->answer has the answer, refusals too. Fails only without memory
 * and without a trace. */
enum tv_code tv_engine_ask(struct tv_engine *engine, struct tv_str route, struct tv_str query,
                           struct tv_error *err) TV_MUST_CHECK;

/*
 * Writes an export, with the query of docs/api.md, "Downloads", to the sink as it is made.
 * Afterwards engine->answer says as JSON what the file is called, of which type it is, whether it
 * is still to be packed by gzip ("gzip": true), and what the format says in another way
 * ("changes"). With check=1 nothing is made, and it says what the file would be called. A refusal
 * is an answer, too; then nothing has come to the sink, or not all.
 */
enum tv_code tv_engine_export(struct tv_engine *engine, struct tv_str query, struct tv_sink sink,
                              struct tv_error *err) TV_MUST_CHECK;

/*
 * A page with a part of the trace in it (docs/report.md), in three steps, since a browser packs by
 * functions of its own. `form` is that of docs/api.md, "Saving as one page", and the same each
 * time.
 *
 * First the part goes to the sink, to be packed. engine->answer says what the file is called, or
 * why there is none. Then the template, the packed engine and the packed part are put into the
 * room, one behind the other. At last the page goes to the sink, and the room is given back.
 */
enum tv_code tv_engine_report_cut(struct tv_engine *engine, struct tv_str form, struct tv_sink sink,
                                  struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_engine_report_reserve(struct tv_engine *engine, size_t len, uint8_t **at,
                                      struct tv_error *err) TV_MUST_CHECK;

struct tv_engine_pieces {
    size_t template_len;
    size_t engine_len;
    size_t trace_len;
};

enum tv_code tv_engine_report_write(struct tv_engine *engine, struct tv_str form,
                                    const struct tv_engine_pieces *pieces, struct tv_sink sink,
                                    struct tv_error *err) TV_MUST_CHECK;
/* Lets go of what the steps have kept. */
void tv_engine_report_release(struct tv_engine *engine);

#endif
