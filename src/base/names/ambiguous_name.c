/*
 * Names of several methods; see base/names/ambiguous_name.h. No method of Java or Kotlin has a
 * point in its name, so the last one before any parameters ends a class.
 */
#include "base/names/ambiguous_name.h"

#define BETWEEN TV_STR(" | ")

bool tv_name_is_ambiguous(struct tv_str name)
{
    return tv_str_find(name, BETWEEN, TV_CASE_EXACT) != SIZE_MAX;
}

/* What is before the parameters, if there are any. */
static struct tv_str without_parameters(struct tv_str name)
{
    const size_t at = tv_str_find(name, TV_STR("("), TV_CASE_EXACT);
    return at == SIZE_MAX ? name : (struct tv_str){name.at, at};
}

bool tv_alternative_next(struct tv_str class_name, struct tv_str *rest,
                         struct tv_alternative *alternative)
{
    const size_t at = tv_str_find(*rest, BETWEEN, TV_CASE_EXACT);
    const struct tv_str name = {rest->at, at == SIZE_MAX ? rest->len : at};
    const size_t taken = at == SIZE_MAX ? rest->len : at + BETWEEN.len;
    if (!rest->len)
        return false;
    rest->at += taken;
    rest->len -= taken;
    *alternative = (struct tv_alternative){class_name, name,
                                           at == SIZE_MAX && tv_str_equal(name, TV_STR("more"))};
    size_t end = without_parameters(name).len;
    while (end && name.at[end - 1] != '.')
        end--;
    if (end) {
        alternative->class_name = (struct tv_str){name.at, end - 1};
        alternative->name = (struct tv_str){name.at + end, name.len - end};
    }
    return true;
}
