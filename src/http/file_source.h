/*
 * Files as bodies of answers. The library would read a file on its own threads, where a wait for
 * the disk is a wait of all connections; so a file becomes a source (http/http.h). Its bytes are
 * taken from memory at once where they are there, and else brought by the threads here, which also
 * close the files. Files take turns, a block each. Bytes that are far (http/http.h) are brought in
 * the same way, in longer blocks the faster the client is.
 */
#ifndef TV_HTTP_FILE_SOURCE_H
#define TV_HTTP_FILE_SOURCE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/alloc.h"
#include "http/http.h"

#define TV_FILE_READERS 4u

struct tv_file_source;

/* The threads that wait for disks. */
struct tv_file_readers {
    const struct tv_alloc *alloc;
    pthread_mutex_t lock;
    pthread_cond_t came;
    struct tv_file_source *first; /* in the queue */
    struct tv_file_source *last;
    bool is_ending; /* no more bytes are brought */
    pthread_t threads[TV_FILE_READERS];
    unsigned count;
    /* How bytes are read (os/file/read_part.h); a test may have it take longer, before it asks. */
    ssize_t (*read_cached)(int fd, uint64_t off, void *into, size_t cap);
    ssize_t (*read_part)(int fd, uint64_t off, void *into, size_t cap);
};

void tv_file_readers_init(struct tv_file_readers *readers, const struct tv_alloc *alloc);
/* Starts the threads, or as many as the system gives. False: it gives none. */
bool tv_file_readers_start(struct tv_file_readers *readers);
/* Waits until the queue is empty. From then on sources are broken, and closed by who leaves them.
 */
void tv_file_readers_join(struct tv_file_readers *readers);
void tv_file_readers_release(struct tv_file_readers *readers);

/* Makes the response, which is a file, that of a source of known length, which closes the file.
 * False: memory ran out, and the response is as it was. */
bool tv_file_source_take(struct tv_file_readers *readers, struct tv_http_response *response);

#endif
