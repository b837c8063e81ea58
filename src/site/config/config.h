/*
 * What the site's owner decided: one struct of plain fields. Where their values come from is in
 * site/config/settings.h.
 */
#ifndef TV_SITE_CONFIG_CONFIG_H
#define TV_SITE_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "site/config/address.h"
#include "site/config/units.h"
#include "store/store_db.h"

/* What this process does; the choices of `role`, in the same order. */
enum tv_site_role { TV_ROLE_ALL, TV_ROLE_SERVER, TV_ROLE_WORKER };
/* Who may upload; the choices of `uploads`, in the same order. */
enum tv_site_uploads {
    TV_UPLOADS_OPEN,   /* whoever reaches the site */
    TV_UPLOADS_SECRET, /* who knows the upload secret */
    TV_UPLOADS_PROXY,  /* whom a trusted proxy names */
    TV_UPLOADS_NOBODY,
};

/* Who has a name on every request; the choices of `users`, in the same order. With uploads = proxy
 * whom the proxy names has one in any case. */
enum tv_site_users { TV_USERS_NONE, TV_USERS_PROXY };

/* Which traces count in questions over all traces; the choices of `rows`, in the same order. */
enum tv_site_rows {
    TV_ROWS_NO,     /* none: there are no such questions */
    TV_ROWS_ASKED,  /* those whose owner says so */
    TV_ROWS_LISTED, /* and listed ones, unless the owner says no */
};

/* Who may do something in a project (site/config/projects.h). */
enum tv_project_who { TV_PROJECT_LINK, TV_PROJECT_USERS, TV_PROJECT_MEMBERS };
#define TV_PROJECT_NAME_MOST 64u
struct tv_project {
    const char *name;
    enum tv_project_who read, upload;
    const char *members; /* as `admins` */
    uint64_t expires_s;  /* TV_NEVER: the project says nothing */
    uint64_t quota;      /* 0: no limit */
    bool is_listed;
};

/* Texts are never NULL, "" is "none"; they belong to the config. Sizes are in bytes. What a field
 * means, and which limits may be 0 for "no limit", stands in the table of settings. */
struct tv_site_config {
    enum tv_site_role role;
    struct tv_address listen;
    uint16_t port;           /* 0: a free one */
    const char *store;       /* a folder, or postgres://USER@HOST/DATABASE */
    const char *files;       /* s3://BUCKET, or with PostgreSQL the folder of files; else "" */
    const char *files_cache; /* "": the default */
    uint64_t files_cache_size;
    const char *store_password_file;
    const char *clickhouse; /* "": the rows of all traces are where the store is */
    const char *clickhouse_password_file;
    bool archive;           /* the store is only read */
    const char *base_path;  /* "", or "/traces": begins with a slash and does not end with one */
    const char *public_url; /* "", or "https://host[:port]" */
    struct tv_networks trusted_proxies;

    enum tv_site_uploads uploads;
    const char *upload_secret_file;
    const char *upload_secret; /* what the file has; it is never shown */
    enum tv_site_users users;
    const char *user_header;
    const char *group_header;
    const char *admins; /* names, with spaces or commas between; a group is "group:NAME" */

    uint64_t token_most_s;
    const char *projects_file;
    const struct tv_project *projects; /* what the file has; in `texts` */
    size_t project_count;

    uint64_t expires_s; /* TV_NEVER: it stays */
    uint64_t expires_most_s;
    uint64_t upload_kept_s;
    bool list;
    enum tv_site_rows rows;
    const char *webhook; /* an address of http or https; "": nobody is told */
    const char *webhook_secret_file;
    const char *webhook_secret; /* what the file has; it is never shown */
    const char *webhook_rules_file;
    const char *webhook_rules;     /* what the file has */
    struct tv_networks webhook_to; /* that are not public */
    uint64_t webhook_traces;
    uint64_t webhook_patience_s;
    bool sample;
    bool md5_links;

    uint64_t max_upload;
    uint64_t max_piece;
    uint64_t quota;
    uint64_t quota_per_address;
    uint64_t quota_per_user;
    uint64_t keep_free;
    uint64_t uploads_at_once;
    uint64_t uploads_at_once_per_address;
    struct tv_rate_limit upload_rate;
    struct tv_rate_limit request_rate;

    uint64_t answer_threads;
    uint64_t answer_time_s;
    uint64_t threads;
    uint64_t connections;
    uint64_t connections_per_address;
    uint64_t header_time_s;
    uint64_t idle_time_s;
    uint64_t slowest_upload;
    uint64_t slowest_when_full;
    uint64_t stop_patience_s;

    uint64_t workers;
    uint64_t worker_memory;
    uint64_t worker_time_s;
    const char *worker_user;
    uint64_t open_indexes;

    const char *log; /* "stderr", "none", or a path */
    struct tv_networks metrics_from;

    struct tv_arena texts;
};

/* All settings at their defaults, but for `store`, which is "". */
void tv_site_config_init(struct tv_site_config *config, const struct tv_alloc *alloc);
/* Copies a text into `texts`, with a zero behind it. */
enum tv_code tv_site_config_keep(struct tv_site_config *config, struct tv_str text,
                                 const char **kept, struct tv_error *err) TV_MUST_CHECK;
/* Which traces count where their owners have not said. */
enum tv_count_rule tv_site_config_rule(const struct tv_site_config *config);
void tv_site_config_release(struct tv_site_config *config);

#endif
