/*
 * Names that would act on whatever shows them, if it let them: one list for every place that a name
 * is written to.
 */
#ifndef TESTS_SUPPORT_HOSTILE_NAMES_H
#define TESTS_SUPPORT_HOSTILE_NAMES_H

#include "base/str.h"

#define HOSTILE_NAME_COUNT 20u

extern const struct tv_str hostile_names[HOSTILE_NAME_COUNT];

#endif
