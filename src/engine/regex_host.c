/*
 * Regular expressions by the browser; see analysis/selection/regex.h.
 *
 * The functions are those that regex.c has with PCRE2, so the analysis does not know which it uses.
 * An expression is a handle of the host. The browser has no limits on the steps of an expression:
 * the page ends a worker that hangs.
 */
#include "analysis/selection/regex.h"

#include "base/error.h"
#include "engine/host.h"

#define WHY_CAP 160u
#define EXPRESSION_LEN_LIMIT 4096u /* as PCRE2 is told */

struct tv_regex {
    const struct tv_alloc *alloc;
    int32_t handle;
};

/* A handle below 0 says that the browser refused the expression, and `why` has its reason. */
enum tv_code tv_regex_new(struct tv_regex **regex, const struct tv_alloc *alloc,
                          struct tv_str expression, enum tv_case letter_case, struct tv_error *err)
{
    char why[WHY_CAP] = "";
    *regex = NULL;
    if (expression.len > EXPRESSION_LEN_LIMIT)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "a regular expression of more than %u bytes", EXPRESSION_LEN_LIMIT);
    struct tv_regex *made;
    TV_TRY(tv_alloc_new(alloc, &made, 1, sizeof(*made), err));
    made->alloc = alloc;
    made->handle = tv_host_match_compile(expression.at, expression.len, letter_case == TV_CASE_FOLD,
                                         why, sizeof(why));
    if (made->handle < 0) {
        tv_alloc_release(alloc, &made, 1, sizeof(*made));
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "the regular expression is wrong: %.*s",
                       (int)(sizeof(why) - 1), why);
    }
    *regex = made;
    return TV_OK;
}

void tv_regex_free(struct tv_regex *regex)
{
    if (!regex)
        return;
    tv_host_match_release(regex->handle);
    tv_alloc_release(regex->alloc, &regex, 1, sizeof(*regex));
}

enum tv_code tv_regex_matches(const struct tv_regex *regex, struct tv_str text, bool *is_match,
                              struct tv_error *err)
{
    (void)err;
    *is_match = tv_host_match_run(regex->handle, text.at, text.len) == 1;
    return TV_OK;
}
