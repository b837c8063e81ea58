/*
 * The ways in which people write the signature of a method, as verbs show it and traces have it.
 */
#ifndef TV_BASE_NAMES_SIGNATURE_SPELLING_H
#define TV_BASE_NAMES_SIGNATURE_SPELLING_H

#include <stdbool.h>

#include "base/str.h"

/* Whether a signature, such as (ILjava/lang/String;)V, is meant by what a user wrote for it: the
 * signature, its part up to the ")", or its parameters as Java writes them, with or without their
 * packages: (int, String). */
bool tv_signature_is_spelled(struct tv_str signature, struct tv_str written);

#endif
