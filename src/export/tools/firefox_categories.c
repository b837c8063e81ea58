/*
 * Categories of the Firefox Profiler; see export/tools/firefox_categories.h.
 *
 * A method is known by the name of its class, and two by their own. The package that counts as the
 * app's is told by the part of its name behind "com." or "org.", so that libraries of the same
 * house count with it; parts of the platform's packages do not count. Names are those that are
 * written, so a redacted trace has a hash here.
 *
 * Source: src/profile-logic/import/art-trace.ts in the repository firefox-devtools/profiler, whose
 * names, colours and prefixes these are.
 */
#include "export/tools/firefox_categories.h"

#include "base/memory/text_map.h"

enum category { IDLE, OTHER, BLOCKED, ANDROID, JAVA, KOTLIN, ANDROIDX, OWN };

static const struct {
    const char *name;
    const char *color;
} shown[] = {
    [IDLE] = {"Idle", "transparent"},
    [OTHER] = {"Other", "grey"},
    [BLOCKED] = {"Blocked", "lightblue"},
    [ANDROID] = {"Android", "yellow"},
    [JAVA] = {"Java", "blue"},
    [KOTLIN] = {"Kotlin / KotlinX", "purple"},
    [ANDROIDX] = {"AndroidX", "orange"},
    [OWN] = {"Special", "green"},
};

/* Packages of the platform: what the names of their classes begin with. */
static const struct {
    struct tv_str package;
    enum category category;
} platform[] = {
    {{"android", 7}, ANDROID}, {{"com.android", 11}, ANDROID}, {{"java", 4}, JAVA},
    {{"sun", 3}, JAVA},        {{"com.sun", 7}, JAVA},         {{"kotlin", 6}, KOTLIN},
    {{"kotlinx", 7}, KOTLIN},  {{"androidx", 8}, ANDROIDX},
};

/* Whether a class is in a package or in one inside it, or is called like it. */
static bool is_in(struct tv_str class_name, struct tv_str package)
{
    return package.len && tv_str_starts_with(class_name, package) &&
           (class_name.len == package.len || class_name.at[package.len] == '.');
}

static struct tv_str without_domain(struct tv_str class_name)
{
    if (tv_str_starts_with(class_name, TV_STR("com.")) ||
        tv_str_starts_with(class_name, TV_STR("org.")))
        return (struct tv_str){class_name.at + 4, class_name.len - 4};
    return class_name;
}

/* The part of a class's name that tells whose it is: "example" of "com.example.app.Main". */
static struct tv_str telling_part(struct tv_str class_name)
{
    struct tv_str rest = without_domain(class_name);
    struct tv_str part = {rest.at, 0};
    (void)tv_str_split(&rest, '.', &part);
    return part;
}

static bool is_of_platform(struct tv_str part)
{
    static const struct tv_str parts[] = {{"android", 7}, {"java", 4},     {"sun", 3},
                                          {"kotlin", 6},  {"androidx", 8}, {"kotlinx", 7}};
    for (size_t i = 0; i < TV_COUNT_OF(parts); i++) {
        if (tv_str_equal(part, parts[i]))
            return true;
    }
    return false;
}

/* Counts the methods of each part, and keeps the first one of those with the most. */
static enum tv_code count_parts(struct tv_firefox_categories *categories,
                                const struct tv_export_names *names, struct tv_text_map *counts,
                                struct tv_error *err)
{
    for (uint32_t i = 0; i < names->method_count; i++) {
        struct tv_str part = telling_part(names->methods[i].class_name);
        uint32_t *count;
        if (!part.len || is_of_platform(part))
            continue;
        TV_TRY(tv_text_map_slot(counts, part, 0, &count, err));
        (*count)++;
    }
    uint32_t most = 0;
    for (size_t i = 0; i < counts->count; i++) {
        if (counts->entries[i].value <= most)
            continue;
        most = counts->entries[i].value;
        categories->own = counts->entries[i].text;
    }
    return TV_OK;
}

enum tv_code tv_firefox_categories_find(struct tv_firefox_categories *categories,
                                        const struct tv_export_names *names,
                                        const struct tv_alloc *alloc, struct tv_error *err)
{
    struct tv_text_map counts;
    categories->own = TV_STR("");
    tv_text_map_init(&counts, alloc);
    enum tv_code code = count_parts(categories, names, &counts, err);
    tv_text_map_release(&counts);
    return code;
}

static bool is_method(const struct tv_export_method *method, struct tv_str class_name,
                      struct tv_str name)
{
    return tv_str_equal(method->class_name, class_name) && tv_str_equal(method->name, name);
}

unsigned tv_firefox_category(const struct tv_firefox_categories *categories,
                             const struct tv_export_method *method)
{
    if (is_method(method, TV_STR("android.os.MessageQueue"), TV_STR("nativePollOnce")))
        return IDLE;
    if (is_method(method, TV_STR("java.lang.Object"), TV_STR("wait")))
        return BLOCKED;
    for (size_t i = 0; i < TV_COUNT_OF(platform); i++) {
        if (is_in(method->class_name, platform[i].package))
            return platform[i].category;
    }
    if (is_in(method->class_name, categories->own) ||
        is_in(without_domain(method->class_name), categories->own))
        return OWN;
    return OTHER;
}

/* A category's name begins with a capital letter. */
static void put_own_name(struct tv_json *json, struct tv_str own)
{
    char name[64] = {0};
    size_t len = own.len < sizeof(name) ? own.len : sizeof(name);
    for (size_t i = 0; i < len; i++)
        name[i] = own.at[i];
    if (name[0] >= 'a' && name[0] <= 'z')
        name[0] = (char)(name[0] - 'a' + 'A');
    tv_json_str(json, (struct tv_str){name, len});
}

void tv_firefox_categories_put(const struct tv_firefox_categories *categories, struct tv_json *json)
{
    tv_json_open_array(json);
    for (size_t i = 0; i < TV_COUNT_OF(shown); i++) {
        tv_json_open_object(json);
        tv_json_key(json, "name");
        if (i == OWN && categories->own.len)
            put_own_name(json, categories->own);
        else
            tv_json_text(json, shown[i].name);
        tv_json_key_text(json, "color", shown[i].color);
        tv_json_key(json, "subcategories");
        tv_json_open_array(json);
        tv_json_text(json, "Other");
        tv_json_close_array(json);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
}
