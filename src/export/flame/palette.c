/*
 * Colours of the boxes of a flame graph; see export/flame/palette.h.
 *
 * A palette gives a name its hue: the same for all names, or by how the name is spelled. The shade
 * within the hue comes from a hash of the name, so a name has one colour in every graph. The
 * colours of packages are a table, which the page has too.
 */
#include "export/flame/palette.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/text/utf8.h"

const char *const tv_palette_words[] = {
    "hot",    "mem",  "io", "red",  "green",  "blue",  "aqua",    "yellow", "purple",
    "orange", "java", "js", "perl", "wakeup", "chain", "package", NULL,
};

/* A part of a colour: from `low` on, over `range`, as far as one of three fractions says that are
 * made of the name. */
struct part {
    uint8_t low, range, by;
};

struct hue {
    struct part red, green, blue;
};

/* The palettes of one hue, up to TV_PALETTE_ORANGE. Hot goes from dark red to bright yellow; a hue
 * that is named for a colour varies in lightness, so two of its parts go by the same fraction. */
static const struct hue hues[] = {
    [TV_PALETTE_HOT] = {{205, 50, 2}, {0, 230, 0}, {0, 55, 1}},
    [TV_PALETTE_MEM] = {{0, 0, 0}, {190, 50, 1}, {0, 210, 0}},
    [TV_PALETTE_IO] = {{80, 60, 0}, {80, 60, 0}, {190, 55, 1}},
    [TV_PALETTE_RED] = {{200, 55, 0}, {50, 80, 0}, {50, 80, 0}},
    [TV_PALETTE_GREEN] = {{50, 60, 0}, {200, 55, 0}, {50, 60, 0}},
    [TV_PALETTE_BLUE] = {{80, 60, 0}, {80, 60, 0}, {205, 50, 0}},
    [TV_PALETTE_AQUA] = {{50, 60, 0}, {165, 55, 0}, {165, 55, 0}},
    [TV_PALETTE_YELLOW] = {{175, 55, 0}, {175, 55, 0}, {50, 20, 0}},
    [TV_PALETTE_PURPLE] = {{190, 65, 0}, {80, 60, 0}, {190, 65, 0}},
    [TV_PALETTE_ORANGE] = {{190, 65, 0}, {90, 65, 0}, {0, 0, 0}},
};

static uint8_t part_of(const struct part *part, uint64_t hash)
{
    uint32_t fraction = (uint32_t)(hash >> 16 * part->by) & 0xffffu;
    return (uint8_t)(part->low + part->range * fraction / 0xffffu);
}

static bool has(struct tv_str name, struct tv_str word)
{
    return tv_str_find(name, word, TV_CASE_EXACT) != SIZE_MAX;
}

/* Profilers that fold stacks mark a frame by its end: kernel, inlined, compiled. */
static bool is_marked(struct tv_str name, char mark)
{
    const char end[] = {'_', '[', mark, ']'};
    return tv_str_ends_with(name, (struct tv_str){end, sizeof(end)});
}

/* Whether the name is a path of at least two Java identifiers. */
static bool is_java(struct tv_str name)
{
    return tv_str_starts_with(name, TV_STR("L")) || has(name, TV_STR("/")) ||
           has(name, TV_STR("."));
}

/* The mark at the end of a name decides first, and without one the form of the name. */
static enum tv_palette hue_of_java(struct tv_str name)
{
    if (is_marked(name, 'k'))
        return TV_PALETTE_ORANGE;
    if (is_marked(name, 'i'))
        return TV_PALETTE_AQUA;
    if (is_marked(name, 'j'))
        return TV_PALETTE_GREEN;
    if (has(name, TV_STR("::")))
        return TV_PALETTE_YELLOW;
    return is_java(name) ? TV_PALETTE_GREEN : TV_PALETTE_RED;
}

/* The hue of a name of JavaScript, where a slash or ".js" tells a function of the script from one
 * of the engine. */
static enum tv_palette hue_of_js(struct tv_str name)
{
    if (is_marked(name, 'k'))
        return TV_PALETTE_ORANGE;
    if (is_marked(name, 'j'))
        return has(name, TV_STR("/")) ? TV_PALETTE_GREEN : TV_PALETTE_AQUA;
    if (has(name, TV_STR("::")))
        return TV_PALETTE_YELLOW;
    if (has(name, TV_STR(".js")))
        return TV_PALETTE_GREEN;
    return has(name, TV_STR(":")) ? TV_PALETTE_AQUA : TV_PALETTE_RED;
}

static enum tv_palette hue_of_perl(struct tv_str name)
{
    if (is_marked(name, 'k'))
        return TV_PALETTE_ORANGE;
    if (has(name, TV_STR("Perl")) || has(name, TV_STR(".pl")))
        return TV_PALETTE_GREEN;
    return has(name, TV_STR("::")) ? TV_PALETTE_YELLOW : TV_PALETTE_RED;
}

/* The hue of a name in a palette that goes by names. */
static enum tv_palette hue_of(enum tv_palette palette, struct tv_str name)
{
    if (palette == TV_PALETTE_JAVA)
        return hue_of_java(name);
    if (palette == TV_PALETTE_JS)
        return hue_of_js(name);
    if (palette == TV_PALETTE_PERL)
        return hue_of_perl(name);
    if (palette == TV_PALETTE_WAKEUP)
        return TV_PALETTE_AQUA;
    if (palette == TV_PALETTE_CHAIN)
        return is_marked(name, 'w') ? TV_PALETTE_AQUA : TV_PALETTE_BLUE;
    return palette;
}

struct tv_rgb tv_palette_colour(enum tv_palette palette, struct tv_str name)
{
    const struct hue *hue = &hues[hue_of(palette, name)];
    uint64_t hash = tv_hash_bytes(name.at, name.len);
    return (struct tv_rgb){part_of(&hue->red, hash), part_of(&hue->green, hash),
                           part_of(&hue->blue, hash)};
}

/* The colours of packages in the page's palette `calm` (web/src/model/colour.ts). */
const char *const tv_package_colours_light[TV_PACKAGE_COLOURS] = {
    "#979dec", "#c3945e", "#eca1bf", "#afb3fe", "#9be0ac",
    "#d0b668", "#ddc1f6", "#e085a3", "#f2c788", "#89bedc",
};
const char *const tv_package_colours_dark[TV_PACKAGE_COLOURS] = {
    "#7f84d1", "#aa7c45", "#d188a5", "#969ae3", "#82c693",
    "#b69d4f", "#c3a7dc", "#c56c8b", "#d7ae6f", "#70a5c2",
};

static bool is_hex(struct tv_str text)
{
    size_t i = 0;
    while (i < text.len &&
           ((text.at[i] >= '0' && text.at[i] <= '9') || (text.at[i] >= 'a' && text.at[i] <= 'f')))
        i++;
    return text.len && i == text.len;
}

/* What stands before the last of the separators; empty where there is none. */
static struct tv_str before_last(struct tv_str text, struct tv_str separators)
{
    size_t end = text.len;
    while (end && tv_str_find(separators, (struct tv_str){&text.at[end - 1], 1}, TV_CASE_EXACT) ==
                      SIZE_MAX)
        end--;
    return (struct tv_str){text.at, end ? end - 1 : 0};
}

/* The package of a method's name: its class is up to the last point or "#". The class of a lambda
 * may end with an address, ".0x00007f0594001850", which is no end of a package. */
static struct tv_str package_of(struct tv_str name)
{
    struct tv_str class = before_last(name, TV_STR(".#"));
    struct tv_str rest = before_last(class, TV_STR("./"));
    struct tv_str last = {class.at + rest.len + 1, class.len - rest.len - (rest.len < class.len)};
    if (rest.len && tv_str_starts_with(last, TV_STR("0x")) &&
        is_hex((struct tv_str){last.at + 2, last.len - 2}))
        rest = before_last(rest, TV_STR("./"));
    return rest;
}

/* A 32-bit FNV-1a hash over the UTF-16 code units, as the page has it. */
static uint32_t hash_unit(uint32_t hash, uint32_t unit)
{
    return (hash ^ unit) * 0x01000193u;
}

/* Hashes the UTF-16 units of the package, because the page does so in JavaScript and both must
 * choose the same colour. */
unsigned tv_package_colour(struct tv_str name)
{
    struct tv_str package = package_of(name);
    uint32_t hash = 0x811c9dc5u;
    for (size_t at = 0; at < package.len;) {
        uint32_t character = tv_utf8_next(package, &at);
        if (character == '/')
            character = '.';
        if (character >= 0x10000) {
            hash = hash_unit(hash, 0xd800 + ((character - 0x10000) >> 10));
            character = 0xdc00 + ((character - 0x10000) & 0x3ff);
        }
        hash = hash_unit(hash, character);
    }
    return hash % TV_PACKAGE_COLOURS;
}

/* The upper and the lower colour of the background, as flamegraph.pl pairs them with its palettes.
 */
struct tv_background tv_palette_background(enum tv_palette palette)
{
    switch (palette) {
    case TV_PALETTE_HOT:
    case TV_PALETTE_JAVA:
    case TV_PALETTE_JS:
    case TV_PALETTE_PERL:
        return (struct tv_background){"#eeeeee", "#eeeeb0"};
    case TV_PALETTE_MEM:
        return (struct tv_background){"#eef2ee", "#e0ffe0"};
    case TV_PALETTE_IO:
    case TV_PALETTE_WAKEUP:
    case TV_PALETTE_CHAIN:
        return (struct tv_background){"#eeeeee", "#e0e0ff"};
    case TV_PALETTE_RED:
    case TV_PALETTE_GREEN:
    case TV_PALETTE_BLUE:
    case TV_PALETTE_AQUA:
    case TV_PALETTE_YELLOW:
    case TV_PALETTE_PURPLE:
    case TV_PALETTE_ORANGE:
    case TV_PALETTE_PACKAGE:
        return (struct tv_background){"#f8f8f8", "#e8e8e8"};
    }
    return (struct tv_background){"#f8f8f8", "#e8e8e8"};
}
