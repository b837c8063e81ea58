/*
 * The version of rows, which is in the names of what they lie in: rows of another version are kept
 * apart, and those of this one made anew. Two versions of the program that share a store take
 * nothing from one another, and no answer has numbers of both.
 */
#ifndef TV_FLEET_ROWS_VERSION_H
#define TV_FLEET_ROWS_VERSION_H

#include "index/saved/saved.h"

/* Raised by whoever changes the tables (fleet/rows_sql.h), or what is made of an index
 * (fleet/trace_rows.c). Rows of other indexes are others, too. */
#define TV_ROWS_VERSION 6

#define TV_ROWS_TEXT_OF(number) #number
#define TV_ROWS_TEXT(version) TV_ROWS_TEXT_OF(version)
/* Such as "6_8". */
#define TV_ROWS_VERSION_NAME TV_ROWS_TEXT(TV_ROWS_VERSION) "_" TV_ROWS_TEXT(TV_INDEX_VERSION)

#endif
