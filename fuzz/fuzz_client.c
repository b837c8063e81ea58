/*
 * Who asks, from headers of any bytes. The input is lines of "Name: value"; the first line is the
 * address of the other end.
 *
 * An address that is not trusted is the client's, whatever the headers say. Behind a trusted proxy
 * the client is the proxy, or an address that stands in X-Forwarded-For. A host that is believed
 * has no sign that acts on its surroundings.
 */
#include <string.h>

#include "check.h"
#include "site/config/setting_value.h"
#include "site/request/client.h"

#define FIELDS 32u

/* Splits the lines into headers, as the HTTP library would give them: without line ends. */
static size_t read_fields(struct tv_str rest, struct tv_http_field fields[FIELDS])
{
    struct tv_str line;
    size_t count = 0;
    while (count < FIELDS && tv_str_split(&rest, '\n', &line)) {
        size_t colon = tv_str_find(line, TV_STR(":"), TV_CASE_EXACT);
        if (colon == SIZE_MAX || memchr(line.at, '\0', line.len))
            continue;
        fields[count].name = (struct tv_str){line.at, colon};
        fields[count].value = (struct tv_str){line.at + colon + 1, line.len - colon - 1};
        while (fields[count].value.len && fields[count].value.at[0] == ' ') {
            fields[count].value.at++;
            fields[count].value.len--;
        }
        count++;
    }
    return count;
}

/* Whether the address stands in one of the headers, in any spelling: a search of all items. */
static bool is_told(const struct tv_http_request *request, const struct tv_address *address)
{
    for (size_t i = 0; i < request->field_count; i++) {
        struct tv_str rest = request->fields[i].value;
        struct tv_str item;
        while (tv_str_split(&rest, ',', &item)) {
            struct tv_address found;
            while (item.len && strchr(" \t\r", item.at[0]))
                item = (struct tv_str){item.at + 1, item.len - 1};
            while (item.len && strchr(" \t\r", item.at[item.len - 1]))
                item.len--;
            if (tv_address_parse(item, &found) && memcmp(&found, address, sizeof(found)) == 0)
                return true;
        }
    }
    return false;
}

/* Whether a list with commas between has the item, found from its start. */
static bool is_item(struct tv_str list, struct tv_str wanted)
{
    struct tv_str item;
    while (list.at && tv_str_split(&list, ',', &item)) {
        if (tv_str_equal(tv_str_trim(item), wanted))
            return true;
    }
    return false;
}

/* An administrator is one by the name, or by a group that the header has; nobody is one without a
 * name. */
static void check_admin(const struct tv_site_config *config, const struct tv_http_request *request,
                        const struct tv_client *client)
{
    struct tv_str groups = tv_http_header(request, config->group_header);
    bool is_named = tv_str_equal(client->user, TV_STR("root"));
    bool is_wanted =
        config->admins[0] && client->user.len && (is_named || is_item(groups, TV_STR("perf")));
    FUZZ_CHECK(client->is_admin == is_wanted);
}

static void check(const struct tv_site_config *config, const struct tv_http_request *request)
{
    struct tv_client client;
    struct tv_address peer = {{0}};
    const char *why;
    bool is_found = tv_client_find(config, request, &client, &why);
    bool is_peer = tv_address_parse(request->peer, &peer);
    bool is_trusted = is_peer && tv_networks_contain(&config->trusted_proxies, &peer);
    FUZZ_CHECK(is_found == !why);
    if (!is_found)
        return;
    FUZZ_CHECK(is_trusted || (!client.is_forwarded && !client.user.len));
    FUZZ_CHECK(client.is_forwarded || memcmp(&client.address, &peer, sizeof(peer)) == 0);
    FUZZ_CHECK(!client.is_forwarded || is_told(request, &client.address));
    for (size_t i = 0; i < client.host.len; i++)
        FUZZ_CHECK(client.host.at[i] && !strchr(" \t\r\n\"'<>&/\\?#@,;", client.host.at[i]));
    for (size_t i = 0; i < client.user.len; i++)
        FUZZ_CHECK((unsigned char)client.user.at[i] > ' ' && client.user.at[i] != ',');
    check_admin(config, request, &client);
    (void)tv_client_is_same_site(&client, request);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct tv_http_field fields[FIELDS];
    struct tv_str rest = {(const char *)bytes, len};
    struct tv_http_request request = {.fields = fields, .connection = -1};
    struct tv_site_config config;
    if (!tv_str_split(&rest, '\n', &request.peer))
        return 0;
    request.field_count = read_fields(rest, fields);
    tv_site_config_init(&config, tv_alloc_libc());
    check(&config, &request);
    FUZZ_CHECK(tv_setting_read(&config, &tv_site_settings[TV_SETTING_OF_trusted_proxies],
                               TV_STR("127.0.0.1 10.0.0.0/8 ::1"), NULL) == TV_OK);
    config.uploads = TV_UPLOADS_PROXY;
    check(&config, &request);
    config.users = TV_USERS_PROXY;
    config.admins = " root,, group:perf  group: ";
    check(&config, &request);
    config.public_url = "https://traces.example.org";
    check(&config, &request);
    tv_site_config_release(&config);
    return 0;
}
