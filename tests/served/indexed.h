/* The index of a small trace, and downloads of it. */
#ifndef TESTS_SERVED_INDEXED_H
#define TESTS_SERVED_INDEXED_H

#include <stdatomic.h>

#include "served/download.h"

struct indexed {
    struct tv_index index; /* of FOO of 100 us in "main" */
    atomic_uint holders;   /* who hold the index */
    struct tv_downloads downloads;
};

void indexed_init(struct indexed *indexed);
/* The `let_go` of a struct tv_held. */
void indexed_let_go(void *indexed, void *what);
/* Waits for the makers; every reader must have left. */
void indexed_release(struct indexed *indexed);

#endif
