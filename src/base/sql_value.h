/* Values for the parameters of a statement of SQL, whichever database runs it. Any thread. */
#ifndef TV_BASE_SQL_VALUE_H
#define TV_BASE_SQL_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* Borrowed until the statement is done. */
struct tv_sql_value {
    enum { TV_SQL_NULL, TV_SQL_INT, TV_SQL_TEXT } kind;
    int64_t number;
    struct tv_str text;
};
struct tv_sql_value tv_sql_int(int64_t number);
struct tv_sql_value tv_sql_count(uint64_t count); /* above INT64_MAX: INT64_MAX */
struct tv_sql_value tv_sql_text(struct tv_str text);
struct tv_sql_value tv_sql_hex(const char *digits);     /* NULL in the row where empty */
struct tv_sql_value tv_sql_or_null(struct tv_str text); /* NULL in the row where empty */
struct tv_sql_value tv_sql_time(int64_t time);          /* NULL in the row where 0 */
struct tv_sql_value tv_sql_null(void);
/* NULL where the pointer is: a column that is not changed. */
struct tv_sql_value tv_sql_new_text(const struct tv_str *text);
struct tv_sql_value tv_sql_new_truth(const bool *truth);
#define TV_SQL_VALUES(...)                                                                         \
    (const struct tv_sql_value[]){__VA_ARGS__},                                                    \
        sizeof((const struct tv_sql_value[]){__VA_ARGS__}) / sizeof(struct tv_sql_value)

#endif
