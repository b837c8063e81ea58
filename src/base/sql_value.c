/*
 * Values of statements; see base/sql_value.h. An empty text is a text, and only tv_sql_or_null and
 * tv_sql_hex make it NULL.
 */
#include "base/sql_value.h"

struct tv_sql_value tv_sql_int(int64_t number)
{
    return (struct tv_sql_value){.kind = TV_SQL_INT, .number = number};
}

struct tv_sql_value tv_sql_count(uint64_t count)
{
    return tv_sql_int(count > INT64_MAX ? INT64_MAX : (int64_t)count);
}

struct tv_sql_value tv_sql_text(struct tv_str text)
{
    return (struct tv_sql_value){.kind = TV_SQL_TEXT, .text = text};
}

struct tv_sql_value tv_sql_null(void)
{
    return (struct tv_sql_value){.kind = TV_SQL_NULL};
}

struct tv_sql_value tv_sql_or_null(struct tv_str text)
{
    return text.len ? tv_sql_text(text) : tv_sql_null();
}

struct tv_sql_value tv_sql_hex(const char *digits)
{
    return tv_sql_or_null(tv_str_from(digits));
}

struct tv_sql_value tv_sql_time(int64_t time)
{
    return time ? tv_sql_int(time) : tv_sql_null();
}

struct tv_sql_value tv_sql_new_text(const struct tv_str *text)
{
    return text ? tv_sql_text(*text) : tv_sql_null();
}

struct tv_sql_value tv_sql_new_truth(const bool *truth)
{
    return truth ? tv_sql_int(*truth) : tv_sql_null();
}
