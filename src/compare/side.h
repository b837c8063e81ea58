/* The sides of a comparison. */
#ifndef TV_COMPARE_SIDE_H
#define TV_COMPARE_SIDE_H

enum tv_side { TV_SIDE_OLD, TV_SIDE_NEW, TV_SIDE_COUNT };
/* "old" and "new": what users, parameters and JSON call the sides. In change.c. */
extern const char *const tv_side_words[TV_SIDE_COUNT];

#endif
