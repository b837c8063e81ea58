/*
 * The settings of the site, one table: the options of `traceview serve`, the names in its
 * configuration file and the variables of the environment are made from it, and the documents are
 * checked against it.
 *
 *   file         name = value                    a line each, # begins a comment, no sections
 *   environment  TRACEVIEW_SITE_NAME=value       TRACEVIEW_SITE_MAX_UPLOAD for max-upload
 *   option       --name value
 *
 * An option is stronger than the environment, the environment than the file, and the file than the
 * default.
 */
#ifndef TV_SITE_CONFIG_SETTINGS_H
#define TV_SITE_CONFIG_SETTINGS_H

#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/sink.h"
#include "site/config/config.h"

/* What a value is, and the type of its field. */
enum tv_setting_kind {
    TV_SETTING_LISTEN,   /* address:port; struct tv_address, and `port` beside it */
    TV_SETTING_CHOICE,   /* one of some words; an enum */
    TV_SETTING_SWITCH,   /* yes or no; bool */
    TV_SETTING_PATH,     /* not empty; const char * */
    TV_SETTING_TEXT,     /* may be empty; const char * */
    TV_SETTING_BASE,     /* "" or a path of URLs; const char * */
    TV_SETTING_URL,      /* "" or scheme and host; const char * */
    TV_SETTING_HEADER,   /* the name of a header; const char * */
    TV_SETTING_NETWORKS, /* addresses and networks, with spaces or commas between; struct
                            tv_networks */
    TV_SETTING_COUNT,    /* uint64_t */
    TV_SETTING_SIZE,     /* uint64_t */
    TV_SETTING_DURATION, /* uint64_t */
    TV_SETTING_RATE,     /* struct tv_rate_limit */
};

/*
 * X(field, name, kind, initial, least, most, argument, help)
 * least and most are of a COUNT, SIZE or DURATION; an argument of a CHOICE is its words.
 */
#define TV_SITE_SETTINGS(X)                                                                        \
    X(role, "role", CHOICE, "all", 0, 0, "all|server|worker",                                      \
      "what this process does: answer requests, build indexes, or both")                           \
    X(listen, "listen", LISTEN, "127.0.0.1:8192", 0, 0, "ADDR:PORT",                               \
      "where it listens; 0.0.0.0 or [::] is every address of the machine, port 0 a free one")      \
    X(store, "store", PATH, "", 0, 0, "DIR",                                                       \
      "where traces are kept ($XDG_DATA_HOME/traceview/store), or postgres://USER@HOST/DATABASE")  \
    X(files, "files", TEXT, "", 0, 0, "PLACE",                                                     \
      "where files are: s3://BUCKET, or with rows in PostgreSQL a folder; the same for all "       \
      "servers and workers")                                                                       \
    X(files_cache, "files-cache", TEXT, "", 0, 0, "DIR",                                           \
      "with files in a bucket: the folder for what arrives and for copies "                        \
      "($XDG_CACHE_HOME/traceview/files)")                                                         \
    X(files_cache_size, "files-cache-size", SIZE, "8G", (uint64_t)64 << 20, UINT64_MAX, "SIZE",    \
      "bytes that these copies may take")                                                          \
    X(store_password_file, "store-password-file", TEXT, "", 0, 0, "FILE",                          \
      "the file with the password of PostgreSQL's user; else libpq looks into its own files")      \
    X(archive, "archive", SWITCH, "no", 0, 0, "yes|no",                                            \
      "serve the store as it is: nothing is uploaded, changed, indexed or tidied up")              \
    X(base_path, "base-path", BASE, "", 0, 0, "PATH",                                              \
      "what stands before every path, behind a proxy: /traces")                                    \
    X(public_url, "public-url", URL, "", 0, 0, "URL",                                              \
      "scheme and host that the site is reached by: https://traces.example.org")                   \
    X(trusted_proxies, "trusted-proxies", NETWORKS, "", 0, 0, "NETS",                              \
      "addresses and networks whose X-Forwarded-* headers are believed")                           \
    X(uploads, "uploads", CHOICE, "open", 0, 0, "open|secret|proxy|nobody",                        \
      "who may upload: everybody, who knows the secret, whom the proxy names, nobody")             \
    X(upload_secret_file, "upload-secret-file", TEXT, "", 0, 0, "FILE",                            \
      "the file with the secret of `uploads = secret`")                                            \
    X(users, "users", CHOICE, "none", 0, 0, "none|proxy",                                          \
      "who has a name on every request: nobody, or whom the proxy names")                          \
    X(user_header, "user-header", HEADER, "X-Forwarded-User", 0, 0, "NAME",                        \
      "the header in which a trusted proxy names the user")                                        \
    X(group_header, "group-header", HEADER, "X-Forwarded-Groups", 0, 0, "NAME",                    \
      "the header in which a trusted proxy names the user's groups, with commas between")          \
    X(admins, "admins", TEXT, "", 0, 0, "NAMES",                                                   \
      "users, and groups as group:NAME, who see, change and delete every trace")                   \
    X(token_most_s, "tokens-expire", DURATION, "365d", 60, TV_LONGEST_S, "TIME",                   \
      "the longest that a token of a program is good for")                                         \
    X(projects_file, "projects", TEXT, "", 0, 0, "FILE",                                           \
      "the file with the projects, which say who reads and uploads what")                          \
    X(expires_s, "expires", DURATION, "90d", 60, TV_NEVER, "TIME",                                 \
      "how long a trace is kept, unless its uploader says otherwise; or never")                    \
    X(expires_most_s, "expires-most", DURATION, "never", 60, TV_NEVER, "TIME",                     \
      "the longest that an uploader may ask for")                                                  \
    X(upload_kept_s, "upload-kept", DURATION, "1d", 60, TV_LONGEST_S, "TIME",                      \
      "how long the pieces of an upload wait for the rest")                                        \
    X(list, "list", SWITCH, "no", 0, 0, "yes|no", "show a list of the traces to everybody")        \
    X(rows, "rows", CHOICE, "no", 0, 0, "no|asked|listed",                                         \
      "which traces count in questions over all traces: none, those whose owner says so, listed "  \
      "ones as well")                                                                              \
    X(clickhouse, "clickhouse", TEXT, "", 0, 0, "URL",                                             \
      "http://USER@HOST:8123/DATABASE, where the rows of these are; else where the store is")      \
    X(clickhouse_password_file, "clickhouse-password-file", TEXT, "", 0, 0, "FILE",                \
      "the file with the password of ClickHouse's user")                                           \
    X(webhook, "webhook", TEXT, "", 0, 0, "URL",                                                   \
      "who is told, by a POST, when a build is worse by the rules of webhook-rules; else nobody")  \
    X(webhook_secret_file, "webhook-secret-file", TEXT, "", 0, 0, "FILE",                          \
      "the file with the secret that these requests are signed with")                              \
    X(webhook_rules_file, "webhook-rules", TEXT, "", 0, 0, "FILE",                                 \
      "the file with the rules of calls and times, as `traceview diff --rules` takes them")        \
    X(webhook_to, "webhook-to", NETWORKS, "", 0, 0, "NETS",                                        \
      "addresses and networks that are not public and that the webhook may reach all the same")    \
    X(webhook_traces, "webhook-traces", COUNT, "5", 1, 100, "COUNT",                               \
      "traces of a build after which it is judged; again after 2, 4, 8 and 16 times as many")      \
    X(webhook_patience_s, "webhook-patience", DURATION, "1d", 1, TV_LONGEST_S, "TIME",             \
      "how long it is tried to tell the webhook")                                                  \
    X(sample, "sample", SWITCH, "no", 0, 0, "yes|no",                                              \
      "keep the bundled example, and show it first")                                               \
    X(md5_links, "md5-links", SWITCH, "yes", 0, 0, "yes|no",                                       \
      "/trace/MD5 leads to the trace of that checksum, as AFlame's links do")                      \
    X(max_upload, "max-upload", SIZE, "1G", 1, UINT64_MAX, "SIZE", "the longest upload")           \
    X(max_piece, "max-piece", SIZE, "64M", 65536, UINT32_MAX, "SIZE",                              \
      "the longest piece of a resumable upload")                                                   \
    X(quota, "quota", SIZE, "0", 0, UINT64_MAX, "SIZE", "bytes of all traces; 0: no limit")        \
    X(quota_per_address, "quota-per-address", SIZE, "0", 0, UINT64_MAX, "SIZE",                    \
      "bytes of the traces of one address; 0: no limit")                                           \
    X(quota_per_user, "quota-per-user", SIZE, "0", 0, UINT64_MAX, "SIZE",                          \
      "bytes of the traces of one user of the proxy; 0: no limit")                                 \
    X(keep_free, "keep-free", SIZE, "256M", 0, UINT64_MAX, "SIZE",                                 \
      "bytes of the disk that uploads leave, for the indexes and rows of those before; 0: none")   \
    X(uploads_at_once, "uploads-at-once", COUNT, "16", 0, UINT32_MAX, "COUNT",                     \
      "uploads under way in all; 0: no limit")                                                     \
    X(uploads_at_once_per_address, "uploads-at-once-per-address", COUNT, "4", 0, UINT32_MAX,       \
      "COUNT", "uploads under way from one address; 0: no limit")                                  \
    X(upload_rate, "upload-rate", RATE, "120/h", 0, 0, "RATE",                                     \
      "uploads of one user, or from one address; 0: no limit")                                     \
    X(request_rate, "request-rate", RATE, "6000/min", 0, 0, "RATE",                                \
      "requests of one user, or from one address; 0: no limit")                                    \
    X(answer_threads, "answer-threads", COUNT, "0", 0, 32, "COUNT",                                \
      "answers that are made at once while they are short, and as many long ones; 0: as many as "  \
      "processors, 2 to 8")                                                                        \
    X(answer_time_s, "answer-time", DURATION, "30s", 1, 3600, "TIME",                              \
      "how long an answer may take, waiting included")                                             \
    X(threads, "threads", COUNT, "2", 1, 64, "COUNT", "threads that send and receive")             \
    X(connections, "connections", COUNT, "800", 16, 60000, "COUNT", "connections in all")          \
    X(connections_per_address, "connections-per-address", COUNT, "64", 0, 60000, "COUNT",          \
      "connections of one address; 0: no limit")                                                   \
    X(header_time_s, "header-time", DURATION, "10s", 1, 3600, "TIME",                              \
      "until the headers of a request are there")                                                  \
    X(idle_time_s, "idle-time", DURATION, "1min", 1, 86400, "TIME",                                \
      "how long a connection may be silent")                                                       \
    X(slowest_upload, "slowest-upload", SIZE, "1K", 0, UINT32_MAX, "SIZE",                         \
      "bytes that an upload must bring each second; 0: no limit")                                  \
    X(slowest_when_full, "slowest-when-full", SIZE, "64K", 0, UINT32_MAX, "SIZE",                  \
      "the same of uploads, and of readers of exports, where all places are taken and another "    \
      "one comes")                                                                                 \
    X(stop_patience_s, "stop-patience", DURATION, "30s", 0, 3600, "TIME",                          \
      "how long what is under way may go on when the site is told to end")                         \
    X(workers, "workers", COUNT, "1", 1, 64, "COUNT", "indexes that are built at once")            \
    X(worker_memory, "worker-memory", SIZE, "4G", (uint64_t)64 << 20, UINT64_MAX, "SIZE",          \
      "memory of one worker")                                                                      \
    X(worker_time_s, "worker-time", DURATION, "10min", 1, 86400, "TIME", "time of one worker")     \
    X(worker_user, "worker-user", TEXT, "", 0, 0, "USER",                                          \
      "who a worker runs as when the site runs as root")                                           \
    X(open_indexes, "open-indexes", COUNT, "16", 1, 512, "COUNT", "indexes that are open at once") \
    X(log, "log", PATH, "stderr", 0, 0, "WHERE", "the access log: stderr, none, or a file")        \
    X(metrics_from, "metrics-from", NETWORKS, "127.0.0.0/8 ::1", 0, 0, "NETS",                     \
      "who may read /metrics")

#define TV_SETTING_NUMBER(field, ...) TV_SETTING_OF_##field,
enum tv_setting_number { TV_SITE_SETTINGS(TV_SETTING_NUMBER) TV_SITE_SETTING_COUNT };
#undef TV_SETTING_NUMBER

enum tv_setting_source { TV_FROM_DEFAULT, TV_FROM_FILE, TV_FROM_ENVIRONMENT, TV_FROM_OPTION };

/* Where the values come from. */
struct tv_settings_given {
    const char *file;                           /* NULL: no file */
    const char *options[TV_SITE_SETTING_COUNT]; /* NULL: not given */
};

/* Where each value of a config came from. */
struct tv_settings_origin {
    const char *file;
    struct {
        enum tv_setting_source source;
        unsigned line; /* of the file */
    } of[TV_SITE_SETTING_COUNT];
};

/*
 * Fills an initialised config from the file, the environment and the options, and checks that its
 * values go together. TV_ERR_ARGUMENT: a value is bad or its name unknown, and the text says where
 * it stands; TV_ERR_SYSTEM: a file cannot be read.
 */
enum tv_code tv_settings_load(struct tv_site_config *config, const struct tv_settings_given *given,
                              struct tv_settings_origin *origin,
                              struct tv_error *err) TV_MUST_CHECK;

/* Writes the settings as a file that would say the same, with a comment on where each value comes
 * from. */
enum tv_code tv_settings_show(const struct tv_site_config *config,
                              const struct tv_settings_origin *origin, struct tv_sink sink,
                              struct tv_error *err) TV_MUST_CHECK;

#endif
