/*
 * Values of settings; see site/config/setting_value.h.
 *
 * A value is stored by memcpy at the field's place in the config: the table knows the place and the
 * kind, and the kind says which type the field has.
 */
#include "site/config/setting_value.h"

#include <stdio.h>
#include <string.h>

#define ROW(field_, name_, kind_, initial_, least_, most_, argument_, help_)                       \
    {.name = (name_),                                                                              \
     .kind = TV_SETTING_##kind_,                                                                   \
     .field = offsetof(struct tv_site_config, field_),                                             \
     .initial = (initial_),                                                                        \
     .least = (least_),                                                                            \
     .most = (most_),                                                                              \
     .argument = (argument_)},
const struct tv_setting tv_site_settings[TV_SITE_SETTING_COUNT] = {TV_SITE_SETTINGS(ROW)};
#undef ROW

_Static_assert(sizeof(enum tv_site_role) == sizeof(unsigned) &&
                   sizeof(enum tv_site_uploads) == sizeof(unsigned) &&
                   sizeof(enum tv_site_users) == sizeof(unsigned),
               "a choice is stored as an unsigned number");

static bool is_letter_or_digit(char sign)
{
    return (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z') ||
           (sign >= '0' && sign <= '9');
}

/* Whether each sign is a letter, a digit or one of the others. */
static bool consists_of(struct tv_str text, const char *others)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!is_letter_or_digit(text.at[i]) && (!text.at[i] || !strchr(others, text.at[i])))
            return false;
    }
    return true;
}

/* Whether a text is a base path, "/a/b": letters that need no escaping anywhere, no empty part, and
 * none that begins with a dot. */
static bool is_base_path(struct tv_str text)
{
    struct tv_str rest = {text.at + 1, text.len - 1};
    struct tv_str part;
    if (!text.len)
        return true;
    if (text.at[0] != '/' || !consists_of(text, "/-_.~"))
        return false;
    while (tv_str_split(&rest, '/', &part)) {
        if (!part.len || part.at[0] == '.')
            return false;
    }
    return true;
}

/* Whether a text is "https://name[:port]" with nothing behind it. */
static bool is_public_url(struct tv_str text)
{
    static const char *const schemes[] = {"https://", "http://"};
    if (!text.len)
        return true;
    for (size_t i = 0; i < TV_COUNT_OF(schemes); i++) {
        struct tv_str scheme = tv_str_from(schemes[i]);
        if (tv_str_starts_with(text, scheme)) {
            struct tv_str host = {text.at + scheme.len, text.len - scheme.len};
            return host.len && consists_of(host, ".-:[]");
        }
    }
    return false;
}

/* Reads networks with spaces or commas between them. */
static bool parse_networks(struct tv_str text, struct tv_networks *networks)
{
    networks->count = 0;
    for (size_t at = 0; at < text.len;) {
        size_t len = 0;
        while (at + len < text.len && !strchr(" ,\t", text.at[at + len]))
            len++;
        if (len && (networks->count == TV_NETWORK_LIMIT ||
                    !tv_network_parse((struct tv_str){text.at + at, len},
                                      &networks->of[networks->count++])))
            return false;
        at += len + 1;
    }
    return true;
}

/* The position of the text among words with "|" between. */
static bool find_choice(const char *words, struct tv_str text, unsigned *position)
{
    struct tv_str rest = tv_str_from(words);
    struct tv_str word;
    for (*position = 0; tv_str_split(&rest, '|', &word); ++*position) {
        if (tv_str_equal(word, text))
            return true;
    }
    return false;
}

/* The second half of the sentence that refuses a value; it has an example, since that is what
 * people copy. */
static const char *what_is_allowed(const struct tv_setting *setting)
{
    switch (setting->kind) {
    case TV_SETTING_LISTEN:
        return "an address and a port, as 127.0.0.1:8192 or [::1]:8192";
    case TV_SETTING_CHOICE:
    case TV_SETTING_SWITCH:
        return "one of";
    case TV_SETTING_PATH:
        return "a path";
    case TV_SETTING_TEXT:
        return "text without control characters";
    case TV_SETTING_BASE:
        return "a path as /traces, without a slash at its end";
    case TV_SETTING_URL:
        return "scheme and host alone, as https://traces.example.org";
    case TV_SETTING_HEADER:
        return "the name of a header, as X-Forwarded-User";
    case TV_SETTING_NETWORKS:
        return "addresses and networks, as 127.0.0.1 10.0.0.0/8 fd00::/8, 32 at most";
    case TV_SETTING_COUNT:
        return "a whole number";
    case TV_SETTING_SIZE:
        return "a size, as 64K, 100M or 2G";
    case TV_SETTING_DURATION:
        return setting->most == TV_NEVER ? "a time, as 30s, 10min, 12h, 90d or never"
                                         : "a time, as 30s, 10min, 12h or 90d";
    case TV_SETTING_RATE:
        return "a rate, as 10/s, 600/min, 120/h or 50/d; 0: no limit";
    }
    return "";
}

static void number_text(enum tv_setting_kind kind, uint64_t number, char text[TV_UNITS_TEXT])
{
    if (kind == TV_SETTING_SIZE)
        tv_size_text(number, text);
    else if (kind == TV_SETTING_DURATION)
        tv_duration_text(number, text);
    else
        (void)snprintf(text, TV_UNITS_TEXT, "%llu", (unsigned long long)number);
}

/* Says what the setting may be, with its bounds, in one line. */
static enum tv_code not_allowed(const struct tv_setting *setting, struct tv_error *err)
{
    const char *what = what_is_allowed(setting);
    char least[TV_UNITS_TEXT];
    char most[TV_UNITS_TEXT];
    number_text(setting->kind, setting->least, least);
    number_text(setting->kind, setting->most, most);
    if (setting->kind == TV_SETTING_CHOICE || setting->kind == TV_SETTING_SWITCH)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "must be %s %s", what,
                       setting->argument);
    const char *comma = setting->kind == TV_SETTING_COUNT ? "" : ",";
    if (setting->most == UINT64_MAX && setting->least)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "must be %s%s of at least %s", what,
                       comma, least);
    if (setting->most && setting->most != UINT64_MAX)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "must be %s%s from %s to %s", what,
                       comma, least, most);
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "must be %s", what);
}

static bool is_within(const struct tv_setting *setting, uint64_t number)
{
    return number >= setting->least && number <= setting->most;
}

/* Control characters would begin a new line in a header, in a message or in the listing of
 * settings. */
static bool is_plain(struct tv_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.at[i] < 0x20 || text.at[i] == 0x7f)
            return false;
    }
    return true;
}

/* The field is a pointer of a type that only the table of settings knows, hence the copy of its
 * bytes. */
static enum tv_code keep_text(struct tv_site_config *config, struct tv_str text, uint8_t *field,
                              struct tv_error *err)
{
    const char *kept;
    TV_TRY(tv_site_config_keep(config, text, &kept, err));
    memcpy(field, &kept, sizeof(kept));
    return TV_OK;
}

/* Whether the field is a pointer to text. */
static bool is_text(enum tv_setting_kind kind)
{
    return kind == TV_SETTING_PATH || kind == TV_SETTING_TEXT || kind == TV_SETTING_BASE ||
           kind == TV_SETTING_URL || kind == TV_SETTING_HEADER;
}

/* Texts that go into headers and addresses are checked here, once, so that no page needs to doubt
 * them. */
static bool is_text_of(enum tv_setting_kind kind, struct tv_str text)
{
    bool is_good = is_plain(text);
    if (kind == TV_SETTING_PATH)
        is_good = is_good && text.len;
    else if (kind == TV_SETTING_BASE)
        is_good = is_base_path(text);
    else if (kind == TV_SETTING_URL)
        is_good = is_public_url(text);
    else if (kind == TV_SETTING_HEADER)
        is_good = text.len && consists_of(text, "-");
    return is_good;
}

static bool read_number(const struct tv_setting *setting, struct tv_str text, uint8_t *field)
{
    uint64_t number = 0;
    bool is_good = setting->kind == TV_SETTING_COUNT  ? tv_str_to_u64(text, 10, &number)
                   : setting->kind == TV_SETTING_SIZE ? tv_size_parse(text, &number)
                                                      : tv_duration_parse(text, &number);
    if (!is_good || !is_within(setting, number))
        return false;
    memcpy(field, &number, sizeof(number));
    return true;
}

/* A switch is a choice of two whose field is a bool. */
static bool read_choice(const struct tv_setting *setting, struct tv_str text, uint8_t *field)
{
    unsigned position;
    if (!find_choice(setting->argument, text, &position))
        return false;
    bool is_first = position == 0;
    if (setting->kind == TV_SETTING_SWITCH)
        memcpy(field, &is_first, sizeof(is_first));
    else
        memcpy(field, &position, sizeof(position));
    return true;
}

/* The field is written only when the whole value is good. */
enum tv_code tv_setting_read(struct tv_site_config *config, const struct tv_setting *setting,
                             struct tv_str text, struct tv_error *err)
{
    uint8_t *field = (uint8_t *)config + setting->field;
    struct tv_networks networks;
    struct tv_rate_limit rate;
    bool is_good = false;
    switch (setting->kind) {
    case TV_SETTING_LISTEN:
        is_good = tv_address_parse_with_port(text, &config->listen, &config->port);
        break;
    case TV_SETTING_CHOICE:
    case TV_SETTING_SWITCH:
        is_good = read_choice(setting, text, field);
        break;
    case TV_SETTING_COUNT:
    case TV_SETTING_SIZE:
    case TV_SETTING_DURATION:
        is_good = read_number(setting, text, field);
        break;
    case TV_SETTING_NETWORKS:
        is_good = parse_networks(text, &networks);
        if (is_good)
            memcpy(field, &networks, sizeof(networks));
        break;
    case TV_SETTING_RATE:
        is_good = tv_rate_limit_parse(text, &rate);
        if (is_good)
            memcpy(field, &rate, sizeof(rate));
        break;
    case TV_SETTING_PATH:
    case TV_SETTING_TEXT:
    case TV_SETTING_BASE:
    case TV_SETTING_URL:
    case TV_SETTING_HEADER:
        if (is_text_of(setting->kind, text))
            return keep_text(config, text, field, err);
        break;
    }
    return is_good ? TV_OK : not_allowed(setting, err);
}

/* A default of text is a literal, which needs no copy; other defaults are read, and a default that
 * cannot be read is a mistake of the program. */
void tv_setting_reset(struct tv_site_config *config, const struct tv_setting *setting)
{
    uint8_t *field = (uint8_t *)config + setting->field;
    if (is_text(setting->kind))
        memcpy(field, &setting->initial, sizeof(setting->initial));
    else if (tv_setting_read(config, setting, tv_str_from(setting->initial), NULL) != TV_OK)
        tv_assert(false);
}

static enum tv_code append(struct tv_buffer *out, const char *text, struct tv_error *err)
{
    return tv_buffer_append(out, text, strlen(text), err);
}

/* As they would be written in the file, separated by blanks. */
static enum tv_code write_networks(const uint8_t *field, struct tv_buffer *out,
                                   struct tv_error *err)
{
    struct tv_networks networks;
    memcpy(&networks, field, sizeof(networks));
    for (size_t i = 0; i < networks.count; i++) {
        char text[TV_ADDRESS_TEXT];
        tv_network_text(&networks.of[i], text);
        if (i)
            TV_TRY(append(out, " ", err));
        TV_TRY(append(out, text, err));
    }
    return TV_OK;
}

/* The words stand in one text, separated by "|"; the position leads to the word. */
static enum tv_code write_choice(const struct tv_setting *setting, const uint8_t *field,
                                 struct tv_buffer *out, struct tv_error *err)
{
    struct tv_str rest = tv_str_from(setting->argument);
    struct tv_str word = {NULL, 0};
    unsigned position = 0;
    bool is_first = false;
    if (setting->kind == TV_SETTING_SWITCH) {
        memcpy(&is_first, field, sizeof(is_first));
        position = is_first ? 0 : 1;
    } else {
        memcpy(&position, field, sizeof(position));
    }
    for (unsigned i = 0; i <= position; i++) {
        if (!tv_str_split(&rest, '|', &word))
            break;
    }
    return tv_buffer_append(out, word.at, word.len, err);
}

/* The reverse of reading, for --check-config: what is printed can be put into a file as it is. */
enum tv_code tv_setting_write(const struct tv_site_config *config, const struct tv_setting *setting,
                              struct tv_buffer *out, struct tv_error *err)
{
    const uint8_t *field = (const uint8_t *)config + setting->field;
    char address[TV_ADDRESS_TEXT];
    char text[TV_ADDRESS_TEXT + 16];
    uint64_t number;
    struct tv_rate_limit rate;
    const char *kept;
    switch (setting->kind) {
    case TV_SETTING_LISTEN:
        tv_address_text(&config->listen, address);
        (void)snprintf(text, sizeof(text),
                       tv_address_is_ipv4(&config->listen) ? "%s:%u" : "[%s]:%u", address,
                       (unsigned)config->port);
        return append(out, text, err);
    case TV_SETTING_CHOICE:
    case TV_SETTING_SWITCH:
        return write_choice(setting, field, out, err);
    case TV_SETTING_COUNT:
    case TV_SETTING_SIZE:
    case TV_SETTING_DURATION:
        memcpy(&number, field, sizeof(number));
        number_text(setting->kind, number, text);
        return append(out, text, err);
    case TV_SETTING_NETWORKS:
        return write_networks(field, out, err);
    case TV_SETTING_RATE:
        memcpy(&rate, field, sizeof(rate));
        tv_rate_limit_text(&rate, text);
        return append(out, text, err);
    case TV_SETTING_PATH:
    case TV_SETTING_TEXT:
    case TV_SETTING_BASE:
    case TV_SETTING_URL:
    case TV_SETTING_HEADER:
        memcpy(&kept, field, sizeof(kept));
        return append(out, kept, err);
    }
    return TV_OK;
}
