/*
 * The Java programs that run on this machine, of every user: from /proc, and from what the virtual
 * machines keep in /tmp (os/java/java_words.h). Nothing of it is vouched for; texts are cut where
 * they are long. One thread.
 */
#ifndef TV_OS_JAVA_JAVA_LIST_H
#define TV_OS_JAVA_JAVA_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"

#define TV_JAVA_TEXT_CAP 256u

struct tv_java_process {
    uint64_t pid;
    uint64_t uptime_s;
    char program[TV_JAVA_TEXT_CAP]; /* the main class, or the jar without its folder */
    char user[TV_JAVA_TEXT_CAP];    /* name, or number where it has none */
    char version[TV_JAVA_TEXT_CAP]; /* of Java, "17.0.13"; "": it does not tell */
    char why_not[TV_JAVA_TEXT_CAP]; /* "": it can be recorded; else "process 7 is another user's" */
};

struct tv_java_list {
    const struct tv_alloc *alloc;
    struct tv_java_process *of; /* the newest first */
    size_t count, cap;
};

void tv_java_list_init(struct tv_java_list *list, const struct tv_alloc *alloc);
void tv_java_list_release(struct tv_java_list *list);
/* Lists what runs now, 1,000 at most. Of other users' programs those are told that are started by
 * a launcher called java, or have a file of counters. */
enum tv_code tv_java_list_read(struct tv_java_list *list, struct tv_error *err) TV_MUST_CHECK;

#endif
