/*
 * The threads that have ended; see jvm/thread_ends.h. A list under a lock, which is held for the
 * copy of a few words.
 */
#include "jvm/thread_ends.h"

#include <pthread.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    size_t count;
    struct tv_jvm_ended of[TV_JVM_ENDED_MOST];
} noted = {.lock = PTHREAD_MUTEX_INITIALIZER};

void tv_jvm_ended_note(const struct tv_jvm_ended *ended)
{
    pthread_mutex_lock(&noted.lock);
    if (noted.count < TV_JVM_ENDED_MOST)
        noted.of[noted.count++] = *ended;
    pthread_mutex_unlock(&noted.lock);
}

size_t tv_jvm_ended_take(struct tv_jvm_ended taken[TV_JVM_ENDED_MOST])
{
    pthread_mutex_lock(&noted.lock);
    const size_t count = noted.count;
    memcpy(taken, noted.of, count * sizeof(*taken));
    noted.count = 0;
    pthread_mutex_unlock(&noted.lock);
    return count;
}
