/*
 * Mappings for large blocks, and those that were released, kept for the blocks to come.
 *
 * Fresh pages must be cleared by the kernel, one fault each, and a virtual machine may have to get
 * them back from its host first, which takes thirty times as long. Answers that take the same room
 * one after the other need none. What is mapped is never more than was in use at once: where
 * nothing kept is long enough, as much as is mapped anew is given back before.
 */
#ifndef TV_OS_PAGES_H
#define TV_OS_PAGES_H

#include <pthread.h>
#include <stddef.h>

/* From here on blocks are mappings of their own. */
#define TV_PAGES_LEAST_LEN ((size_t)128 * 1024)

/* No more is kept than this. */
#define TV_PAGES_KEPT_LEN ((size_t)128 << 20)
#define TV_PAGES_KEPT_COUNT 32u

struct tv_kept_pages {
    char *at;
    size_t len;
};

/* Any number of threads at once. */
struct tv_pages {
    pthread_mutex_t lock;
    struct tv_kept_pages kept[TV_PAGES_KEPT_COUNT]; /* the oldest first */
    size_t count;
    size_t len; /* of all that is kept */
};

void tv_pages_init(struct tv_pages *pages);
void tv_pages_release(struct tv_pages *pages);

/* How long the mapping is of a block of so many bytes, which is what all others here ask for. */
size_t tv_pages_len(size_t block_len);
/* Of pages, NULL: nothing is kept. What the mapping holds is not told. NULL when there is none. */
void *tv_pages_map(struct tv_pages *pages, size_t len);
void tv_pages_unmap(struct tv_pages *pages, void *block, size_t len);
/* Longer or shorter, perhaps at another address; NULL when that cannot be, and the block stays. */
void *tv_pages_resize(struct tv_pages *pages, void *block, size_t old_len, size_t new_len);

#endif
