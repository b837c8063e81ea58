/*
 * The columns of a trace's own row, in the order in which both databases select them: for
 * TV_SQLITE_TRACE_COLUMNS and TV_POSTGRES_TRACE_OWN. Further columns of a SELECT follow.
 */
#ifndef TV_STORE_TRACE_COLUMNS_H
#define TV_STORE_TRACE_COLUMNS_H

enum tv_trace_column {
    TV_TRACE_ID,
    TV_TRACE_RAW,
    TV_TRACE_MD5,
    TV_TRACE_BYTES,
    TV_TRACE_FILE_NAME,
    TV_TRACE_TITLE,
    TV_TRACE_NOTE,
    TV_TRACE_CREATED,
    TV_TRACE_EXPIRES,
    TV_TRACE_OWNER,
    TV_TRACE_ADDRESS,
    TV_TRACE_USER,
    TV_TRACE_IS_RAW_SHARED,
    TV_TRACE_IS_LISTED,
    TV_TRACE_KEEPS_NAMES,
    TV_TRACE_KIND,
    TV_TRACE_IS_FOR_ALL,
    TV_TRACE_MAP_ID,
    TV_TRACE_MAP_HASH,
    TV_TRACE_COUNTING,
    TV_TRACE_OWN_COUNT
};

#endif
