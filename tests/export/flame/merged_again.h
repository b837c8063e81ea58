/* A tree of stacks that was merged frame by frame, merged at once. */
#ifndef TESTS_EXPORT_FLAME_MERGED_AGAIN_H
#define TESTS_EXPORT_FLAME_MERGED_AGAIN_H

#include "export/flame/stack_tree.h"

/* Fills `merged`, an initialised tree, with the frames of an ended one, whose names it borrows. */
enum tv_code merged_again(const struct tv_stack_tree *tree, struct tv_stack_tree *merged);

#endif
