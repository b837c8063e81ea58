/*
 * What quotas are held against; see store/quota_rules.h. The databases sum up what is there, and
 * this file says whether that is too much, in the same words for both.
 */
#include "store/quota_rules.h"

const enum tv_quota_of tv_quota_rules_order[TV_QUOTA_KINDS] = {
    TV_QUOTA_USER, TV_QUOTA_OWNER, TV_QUOTA_ADDRESS, TV_QUOTA_PROJECT, TV_QUOTA_STORE};

static const char *const who_of[TV_QUOTA_KINDS] = {
    [TV_QUOTA_STORE] = "the store",
    [TV_QUOTA_ADDRESS] = "uploads from this address",
    [TV_QUOTA_OWNER] = "uploads with this token",
    [TV_QUOTA_USER] = "uploads of this user",
    [TV_QUOTA_PROJECT] = "this project",
};

/* For each kind of quota, the column that its sum is about. */
struct tv_str tv_quota_rules_who(enum tv_quota_of of, const struct tv_trace_row *row)
{
    switch (of) {
    case TV_QUOTA_ADDRESS:
        return tv_str_from(row->address.hex);
    case TV_QUOTA_OWNER:
        return tv_str_from(row->owner.hex);
    case TV_QUOTA_USER:
        return row->user;
    case TV_QUOTA_PROJECT:
        return tv_label_value(row->labels, row->label_count, "project");
    case TV_QUOTA_STORE:
        break;
    }
    return (struct tv_str){NULL, 0};
}

bool tv_quota_rules_hold(const struct tv_quota *quota, enum tv_quota_of of, struct tv_str who)
{
    return (quota->bytes[of] || quota->traces[of]) && (of == TV_QUOTA_STORE || who.len);
}

/* The store's quota is about files, which traces of the same bytes share; those of address, owner
 * and user are about what each has brought. */
static bool is_over(const struct tv_quota *quota, enum tv_quota_of of,
                    const struct tv_store_sums *sums)
{
    uint64_t bytes = of == TV_QUOTA_STORE
                         ? sums->file_bytes
                         : sums->trace_bytes + sums->upload_bytes + sums->dropped_bytes;
    return (quota->bytes[of] && bytes > quota->bytes[of]) ||
           (quota->traces[of] && sums->traces + sums->uploads > quota->traces[of]);
}

/* A project has a name that others may have chosen; of the rest the client knows which is its own.
 */
static enum tv_code refuse(const struct tv_quota *quota, enum tv_quota_of of, struct tv_str who,
                           enum tv_quota_of *over, struct tv_error *err)
{
    const bool is_named = of == TV_QUOTA_PROJECT;
    const bool is_of_bytes = quota->bytes[of] > 0;
    if (over)
        *over = of;
    return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                   "over the quota of %s%s%.*s, which is %llu %s: delete some, or ask an "
                   "administrator of this site",
                   who_of[of], is_named ? " " : "", is_named ? tv_str_shown_len(who) : 0,
                   is_named ? who.at : "",
                   (unsigned long long)(is_of_bytes ? quota->bytes[of] : quota->traces[of]),
                   is_of_bytes ? "bytes" : "traces");
}

enum tv_code tv_quota_rules_check(const struct tv_quota *quota, const struct tv_trace_row *who,
                                  tv_quota_rules_sum sum, void *ctx, enum tv_quota_of *over,
                                  struct tv_error *err)
{
    for (size_t i = 0; quota && i < TV_QUOTA_KINDS; i++) {
        const enum tv_quota_of of = tv_quota_rules_order[i];
        const struct tv_str whose = tv_quota_rules_who(of, who);
        const bool with_files = of == TV_QUOTA_STORE && quota->bytes[of];
        struct tv_store_sums sums = {.files = 0};
        if (!tv_quota_rules_hold(quota, of, whose))
            continue;
        TV_TRY(sum(ctx, of, whose, with_files, &sums, err));
        if (is_over(quota, of, &sums))
            return refuse(quota, of, whose, over, err);
    }
    return TV_OK;
}
