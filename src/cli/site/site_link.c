/*
 * Addresses of sites, links to traces, answers that refuse, and the file of owner tokens; see
 * cli/site/site_link.h. Addresses of sites come from the user, answers from anybody: nothing that a
 * site says becomes a part of an address or of a file's name.
 *
 * The file of owner tokens has a line per trace or mapping: its link, a blank, its token. The file
 * is replaced whole, so that a crash leaves the old one or the new one.
 */
#include "cli/site/site_link.h"

#include <stdio.h>
#include <string.h>

#include "base/memory/buffer.h"
#include "os/file/lock.h"

#define TRACE_PATH "/trace/"
#define MAPPING_PATH "/api/v1/mappings/"
#define TOKENS_FILE "owner-tokens"
#define TOKENS_MOST ((size_t)16 << 20)

/* --- addresses --- */

static enum tv_code refuse(struct tv_error *err, const char *text, const char *what)
{
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "'%.*s' is no %s",
                   tv_str_shown_len(tv_str_from(text)), text, what);
}

/* Whether every character may stand in a request unescaped. */
static bool is_plain(struct tv_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] <= ' ' || text.at[i] > '~' || strchr("?#\"<>\\^`{|}", text.at[i]))
            return false;
    }
    return true;
}

/* Whether the address has a user. A password in it would be among the words of the command line,
 * which every user of the machine can read, and in the link that is passed on; and the owner token
 * would be sent with it. */
static bool has_user(struct tv_str rest)
{
    struct tv_str authority;
    return tv_str_split(&rest, '/', &authority) && memchr(authority.at, '@', authority.len);
}

/* Checks an address and copies it without the slashes at its end. Only plain characters pass, so
 * that the address may stand in a request unescaped, and no user or password, which would be in the
 * link that is passed on. */
static enum tv_code parse(char site[TV_SITE_URL_CAP], struct tv_str text, const char *whole,
                          const char *what, struct tv_error *err)
{
    size_t scheme = tv_str_starts_with(text, TV_STR("http://"))    ? 7
                    : tv_str_starts_with(text, TV_STR("https://")) ? 8
                                                                   : 0;
    while (text.len > scheme && text.at[text.len - 1] == '/')
        text.len--;
    if (!scheme || text.len == scheme || text.len >= TV_SITE_URL_CAP || !is_plain(text))
        return refuse(err, whole, what);
    if (has_user((struct tv_str){text.at + scheme, text.len - scheme}))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "the address of a site has no user and no password in it");
    memcpy(site, text.at, text.len);
    site[text.len] = '\0';
    return TV_OK;
}

enum tv_code tv_site_parse(char site[TV_SITE_URL_CAP], const char *text, struct tv_error *err)
{
    return parse(site, tv_str_from(text), text, "address of a site, as https://traces.example is",
                 err);
}

/* The place of the id in a link, behind one of the two paths. */
static size_t find_id(struct tv_str whole, struct tv_site_link *link, size_t *site_len)
{
    const struct tv_str paths[] = {TV_STR(TRACE_PATH), TV_STR(MAPPING_PATH)};
    for (size_t i = 0; i < TV_COUNT_OF(paths); i++) {
        *site_len = tv_str_find(whole, paths[i], TV_CASE_EXACT);
        link->is_mapping = i == 1;
        if (*site_len != SIZE_MAX)
            return *site_len + paths[i].len;
    }
    return SIZE_MAX;
}

enum tv_code tv_site_link_parse(struct tv_site_link *link, const char *text, struct tv_error *err)
{
    static const char what[] = "link to a trace, as https://traces.example/trace/ID is";
    struct tv_str whole = tv_str_from(text);
    size_t site_len;
    size_t at = find_id(whole, link, &site_len);
    if (at == SIZE_MAX || whole.len - at < TV_TOKEN_LEN)
        return refuse(err, text, what);
    struct tv_str id = {text + at, TV_TOKEN_LEN};
    char next = id.at[id.len];
    if (!tv_token_is(id) || (next && !strchr("/?#", next)))
        return refuse(err, text, what);
    memcpy(link->id, id.at, id.len);
    link->id[id.len] = '\0';
    return parse(link->site, (struct tv_str){text, site_len}, text, what, err);
}

void tv_site_link_api(const struct tv_site_link *link, char url[TV_SITE_PATH_CAP])
{
    (void)snprintf(url, TV_SITE_PATH_CAP, "%s%s%s", link->site,
                   link->is_mapping ? MAPPING_PATH : "/api/v1/traces/", link->id);
}

void tv_site_link_text(const struct tv_site_link *link, char text[TV_SITE_PATH_CAP])
{
    if (link->is_mapping)
        tv_site_link_api(link, text);
    else
        (void)snprintf(text, TV_SITE_PATH_CAP, "%s" TRACE_PATH "%s/", link->site, link->id);
}

/* --- what a site says --- */

/* The value of "error" in an answer of JSON; false: there is none. A scan for the key is enough for
 * a message: the answer is untrusted and is escaped where it is printed. */
static bool find_reason(struct tv_str json, char *out, size_t cap)
{
    static const struct tv_str key = {"\"error\"", 7};
    size_t at = tv_str_find(json, key, TV_CASE_EXACT);
    size_t len = 0;
    if (at == SIZE_MAX)
        return false;
    at += key.len;
    while (at < json.len && (json.at[at] == ' ' || json.at[at] == ':'))
        at++;
    if (at == json.len || json.at[at] != '"')
        return false;
    for (at++; at < json.len && json.at[at] != '"' && len < cap - 1; at++) {
        if (json.at[at] == '\\' && ++at == json.len)
            break;
        out[len++] = json.at[at];
    }
    out[len] = '\0';
    return len > 0;
}

/* Says why a site did not do what was asked: the failure of the connection, else the site's reason,
 * else its status. Redirections are not followed, since an owner token would go where the site
 * says. */
int tv_site_refused(const struct tv_cli *cli, const char *subject,
                    const struct tv_web_answer *answer, const struct tv_error *err)
{
    struct tv_error told = {.code = TV_ERR_SYSTEM, .offset = TV_NO_OFFSET};
    char reason[160];
    if (err->code != TV_OK)
        return tv_cli_fail(cli, subject, err);
    if (answer->status >= 300 && answer->status < 400)
        (void)tv_fail(&told, TV_ERR_SYSTEM, TV_NO_OFFSET,
                      "the site sends elsewhere (status %d), where nobody follows: give the "
                      "address that it has now",
                      answer->status);
    else if (find_reason(tv_str_from(answer->reason), reason, sizeof(reason)))
        (void)tv_fail(&told, TV_ERR_SYSTEM, TV_NO_OFFSET, "the site refuses it (status %d): %s",
                      answer->status, reason);
    else
        (void)tv_fail(&told, TV_ERR_SYSTEM, TV_NO_OFFSET,
                      "the site answers with status %d: is it one of traceview?", answer->status);
    return tv_cli_fail(cli, subject, &told);
}

/* --- owner tokens --- */

/* Reads the file of tokens; a missing file counts as an empty one. */
static enum tv_code read_tokens(struct tv_buffer *tokens, char path[TV_PATH_CAP],
                                struct tv_error *err)
{
    TV_TRY(tv_path_data(path, TOKENS_FILE, err));
    enum tv_code code = tv_file_read_small(path, TOKENS_MOST, tokens, err);
    return code == TV_ERR_NOT_FOUND ? TV_OK : code;
}

/* The next line of the file; false at its end. */
static bool next_token(struct tv_str *rest, struct tv_str *line, struct tv_str *name,
                       struct tv_str *token)
{
    if (!tv_str_split(rest, '\n', line))
        return false;
    *token = *line;
    return tv_str_split(token, ' ', name) || !line->len;
}

/* Looks for the token of a trace. Lines without a token are skipped: the file is the user's, and
 * may have been edited. */
bool tv_owner_find(const struct tv_cli *cli, const struct tv_site_link *link,
                   char token[TV_TOKEN_LEN + 1])
{
    char path[TV_PATH_CAP];
    char wanted[TV_SITE_PATH_CAP];
    struct tv_buffer tokens;
    struct tv_str line;
    struct tv_str name;
    struct tv_str found;
    bool is_found = false;
    tv_site_link_text(link, wanted);
    tv_buffer_init(&tokens, cli->alloc);
    if (read_tokens(&tokens, path, NULL) == TV_OK) {
        struct tv_str rest = tv_buffer_view(&tokens);
        while (!is_found && next_token(&rest, &line, &name, &found))
            is_found = tv_str_equal(name, tv_str_from(wanted)) && tv_token_is(found);
        if (is_found)
            memcpy(token, found.at, TV_TOKEN_LEN);
        token[is_found ? TV_TOKEN_LEN : 0] = '\0';
    }
    tv_buffer_release(&tokens);
    return is_found;
}

/* Looks for the token of a mapping. Lines are added at the end, so the last matching one is the
 * latest. */
bool tv_owner_find_mapping(const struct tv_cli *cli, const char *site, char token[TV_TOKEN_LEN + 1])
{
    char path[TV_PATH_CAP];
    char wanted[TV_SITE_PATH_CAP];
    struct tv_buffer tokens;
    struct tv_str line, name, found;
    (void)snprintf(wanted, sizeof(wanted), "%s" MAPPING_PATH, site);
    token[0] = '\0';
    tv_buffer_init(&tokens, cli->alloc);
    if (read_tokens(&tokens, path, NULL) == TV_OK) {
        struct tv_str rest = tv_buffer_view(&tokens);
        while (next_token(&rest, &line, &name, &found)) {
            if (!tv_str_starts_with(name, tv_str_from(wanted)) || !tv_token_is(found))
                continue;
            memcpy(token, found.at, TV_TOKEN_LEN);
            token[TV_TOKEN_LEN] = '\0';
        }
    }
    tv_buffer_release(&tokens);
    return token[0] != '\0';
}

/* Copies all lines but those of the link. */
static enum tv_code copy_others(const struct tv_buffer *from, const char *wanted,
                                struct tv_buffer *to, struct tv_error *err)
{
    struct tv_str rest = tv_buffer_view(from);
    struct tv_str line;
    struct tv_str name;
    struct tv_str token;
    while (next_token(&rest, &line, &name, &token)) {
        if (!line.len || tv_str_equal(name, tv_str_from(wanted)))
            continue;
        TV_TRY(tv_buffer_append(to, line.at, line.len, err));
        TV_TRY(tv_buffer_append(to, "\n", 1, err));
    }
    return TV_OK;
}

/* Writes the file anew, with that token for the link, or none. */
static enum tv_code rewrite(const struct tv_cli *cli, const struct tv_site_link *link,
                            const char *token, char path[TV_PATH_CAP], struct tv_error *err)
{
    char line[TV_SITE_PATH_CAP + TV_TOKEN_LEN + 2];
    char wanted[TV_SITE_PATH_CAP];
    struct tv_buffer before;
    struct tv_buffer after;
    tv_site_link_text(link, wanted);
    tv_buffer_init(&before, cli->alloc);
    tv_buffer_init(&after, cli->alloc);
    (void)snprintf(line, sizeof(line), "%s %s\n", wanted, token ? token : "");
    enum tv_code code = read_tokens(&before, path, err);
    if (code == TV_OK)
        code = copy_others(&before, wanted, &after, err);
    if (code == TV_OK && token)
        code = tv_buffer_append(&after, line, strlen(line), err);
    if (code == TV_OK)
        code = tv_file_replace(path, tv_buffer_view(&after), err);
    tv_buffer_release(&before);
    tv_buffer_release(&after);
    return code;
}

/* Changes the file under a lock: a build pushes several traces at once, and each of them has a
 * token. */
static enum tv_code change(const struct tv_cli *cli, const struct tv_site_link *link,
                           const char *token, char path[TV_PATH_CAP], struct tv_error *err)
{
    struct tv_lock lock;
    TV_TRY(tv_path_data(path, TOKENS_FILE, err));
    TV_TRY(tv_lock_take(&lock, path, err));
    enum tv_code code = rewrite(cli, link, token, path, err);
    tv_lock_drop(&lock);
    return code;
}

enum tv_code tv_owner_keep(const struct tv_cli *cli, const struct tv_site_link *link,
                           const char *token, char path[TV_PATH_CAP], struct tv_error *err)
{
    return change(cli, link, token, path, err);
}

enum tv_code tv_owner_forget(const struct tv_cli *cli, const struct tv_site_link *link,
                             struct tv_error *err)
{
    char path[TV_PATH_CAP];
    return change(cli, link, NULL, path, err);
}
