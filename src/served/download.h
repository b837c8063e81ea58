/*
 * Exports on their way to browsers. A thread of its own makes each export and puts the bytes into a
 * ring; the thread of the HTTP library takes them out. So an export needs no more memory than its
 * ring, however long the file and however slow the reader is.
 *
 * Owners: the viewer, or a site, owns the table of all downloads. A download that was taken has two
 * users, its maker (the thread) and its reader (the connection), and its place in the table is free
 * again when both have left. A reader that leaves early stops the maker: its next byte fails. What
 * became of a download can be asked for until its place is taken again.
 *
 * Threads: one lock guards what maker, reader and askers share. The maker waits while the ring is
 * full. The reader never waits, since the library's thread serves all connections: it sleeps while
 * there is little to read, and the maker wakes it.
 */
#ifndef TV_SERVED_DOWNLOAD_H
#define TV_SERVED_DOWNLOAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "api/export_query.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/memory/limit.h"
#include "base/memory/pool.h"
#include "http/http.h"
#include "http/pace.h"
#include "index/index.h"

/* Under way at once. Each takes a thread and a processor; a page needs one at a time. */
#define TV_DOWNLOADS_MOST 4u
/* Those that were stopped keep their places until maker and reader have left. */
#define TV_DOWNLOADS_PLACES (2 * TV_DOWNLOADS_MOST)
#define TV_DOWNLOAD_RING ((size_t)256 * 1024)

enum tv_download_state {
    TV_DOWNLOAD_RUNNING,
    TV_DOWNLOAD_DONE, /* the reader has the whole file */
    TV_DOWNLOAD_FAILED,
    TV_DOWNLOAD_CANCELLED,
};

/* What can be told of a download. */
struct tv_download_view {
    enum tv_download_state state;
    uint64_t id;    /* by which the page asks; 0: it does not */
    uint64_t bytes; /* that the reader has */
    uint64_t done;  /* calls, of `of`, while they are known; of == 0: not yet */
    uint64_t of;
    struct tv_export_result result; /* of a download that is done */
    struct tv_error failure;        /* why it failed */
};

/* An index that is held for whoever reads it. */
struct tv_held {
    const struct tv_index *index; /* a saved one may become shorter */
    struct tv_str file;           /* the name of its trace's file; borrowed from the caller */
    size_t memory_most;           /* bytes that an export of the index may take */
    struct tv_http_party party;   /* who asks */
    void (*let_go)(void *owner, void *what);
    void *owner;
    void *what;
};

struct tv_downloads;

/* What the downloads of one party may take of what all need. */
struct tv_download_shares {
    unsigned of_party; /* downloads under way; 0: as many as there may be */
    /* Bytes that a reader must take each second where all are under way and another one is wanted:
     * the slowest gives way. 0: none does. */
    uint64_t least_rate;
};

/* Functions that count downloads while they are read; each may be NULL. They are called with the
 * table locked. */
struct tv_download_counter {
    void (*begun)(void *ctx);
    void (*left)(void *ctx); /* once for each that was begun */
    void *ctx;
};

struct tv_download {
    struct tv_downloads *table;
    /* What is written. Set before tv_download_begin; the maker's alone from then on. */
    struct tv_export_query query;
    struct tv_held held;
    struct tv_arena arena; /* of the lists of the query */
    struct tv_limit limit; /* the memory of the maker */
    /* The table's lock guards all below. */
    struct tv_download_view now;
    struct tv_http_reader reader;
    pthread_t maker;
    pthread_cond_t has_room;
    uint64_t taken_no; /* counts the downloads that were taken, so that the oldest place is known */
    struct tv_http_party party;
    struct tv_pace pace; /* of what the reader takes */
    uint8_t *ring;
    size_t first; /* where the bytes in the ring begin */
    size_t len;
    bool has_reader;
    bool has_maker;
    bool was_begun;  /* a maker was started for it */
    bool is_to_join; /* that maker's thread was not joined yet */
    bool is_made;    /* the whole file was put into the ring */
    bool is_stopped; /* nobody wants the rest */
    bool is_asleep;  /* the reader */
    bool is_counted; /* by the table's counter */
};

struct tv_downloads {
    pthread_mutex_t lock;
    const struct tv_alloc *alloc;
    const struct tv_pool *pool; /* may be NULL */
    struct tv_download_counter counter;
    struct tv_download_shares shares; /* zeros: there are none; set before the first is taken */
    struct tv_download of[TV_DOWNLOADS_PLACES];
    uint64_t taken_no;
    bool is_ended; /* no more makers are started */
};

/* What is passed on is borrowed. */
void tv_downloads_init(struct tv_downloads *downloads, const struct tv_alloc *alloc,
                       const struct tv_pool *pool);
/* Stops all makers and waits for them; readers are woken, and told that the file is not whole. What
 * is taken from now on is refused, and what was taken and begins only now is cancelled: a request
 * may have come before the server was told to end. */
void tv_downloads_end(struct tv_downloads *downloads);
/* All readers must have left. */
void tv_downloads_release(struct tv_downloads *downloads);

/* Takes a place for an export of the index; the download lets go of the index, also where this
 * fails. The caller fills `query`, from lists in `arena`, and then begins or leaves.
 * TV_ERR_LIMIT: too many are under way, in all or of the party, or the server ends. */
enum tv_code tv_download_take(struct tv_downloads *downloads, const struct tv_held *held,
                              struct tv_download **download, struct tv_error *err) TV_MUST_CHECK;
/* Notes how fast the readers are, every now and then. */
void tv_downloads_tick(struct tv_downloads *downloads, uint64_t now_ns);
/* Gives the download an id above 0, by which requests name it. */
void tv_download_set_id(struct tv_download *download, uint64_t id);
/* Starts the maker. The reader is woken when there is something to read, or when there will be
 * nothing. */
void tv_download_begin(struct tv_download *download, const struct tv_http_reader *reader);
/* Whether the export has failed by now, with the reason. */
bool tv_download_has_failed(struct tv_download *download, struct tv_error *err);

/* Gives bytes as a source does (http/http.h). */
ssize_t tv_download_read(struct tv_download *download, void *out, size_t cap);
/* The reader leaves; `download` is not the caller's any more. NULL is fine. */
void tv_download_leave(struct tv_download *download);

/* What became of the download of that id that was taken last; false: there is none, or its place
 * was taken. */
bool tv_downloads_look(struct tv_downloads *downloads, uint64_t id, struct tv_download_view *view);
/* Stops the download of an id, where there is one. */
void tv_downloads_cancel(struct tv_downloads *downloads, uint64_t id);

#endif
