/*
 * What stands in a box; see export/flame/flame_label.h.
 *
 * The forms of a Java method are tried from the longest to the shortest. Room is counted in
 * characters, and names are cut between characters, never inside one.
 */
#include "export/flame/flame_label.h"

#include <stdint.h>

#include "base/text/markup.h"
#include "base/text/utf8.h"

#define LEAST_ROOM 3u

/* How many bytes the first `most` characters of a text have. */
static size_t bytes_of(struct tv_str text, size_t most)
{
    size_t at = 0;
    for (size_t i = 0; i < most && at < text.len; i++)
        (void)tv_utf8_next(text, &at);
    return at;
}

static bool fits(struct tv_str text, size_t room)
{
    return bytes_of(text, room) == text.len;
}

static struct tv_str from(struct tv_str text, size_t at)
{
    return (struct tv_str){text.at + at, text.len - at};
}

/* Where the last of the separators stands before `end`; SIZE_MAX: nowhere. */
static size_t last_of(struct tv_str text, const char *separators, size_t end)
{
    struct tv_str all = tv_str_from(separators);
    while (end &&
           tv_str_find(all, (struct tv_str){&text.at[end - 1], 1}, TV_CASE_EXACT) == SIZE_MAX)
        end--;
    return end ? end - 1 : SIZE_MAX;
}

/* Whether a class begins there: Java writes classes with a capital letter, so a path of a file, or
 * a name of another language, is told from a method. */
static bool is_class(struct tv_str text)
{
    return text.len && text.at[0] >= 'A' && text.at[0] <= 'Z';
}

/* The forms of a Java method without its package, from the longest: "App$Loader.run", "Loader.run",
 * "run". Gives the first that fits, or else the last. `own` is where the class begins, `method` the
 * separator behind it. */
static struct tv_str shorten(struct tv_str name, size_t own, size_t method, size_t room)
{
    size_t inner = last_of(name, "$", method);
    if (fits(from(name, own), room))
        return from(name, own);
    if (inner != SIZE_MAX && inner > own && is_class(from(name, inner + 1)) &&
        fits(from(name, inner + 1), room))
        return from(name, inner + 1);
    return from(name, method + 1);
}

/* The longest form of a Java method that fits, or else the shortest; any other name as it is. */
static struct tv_str without_package(struct tv_str name, size_t room)
{
    size_t method = last_of(name, ".#", name.len);
    size_t package = method == SIZE_MAX ? SIZE_MAX : last_of(name, "./", method);
    size_t own = package == SIZE_MAX ? 0 : package + 1;
    bool is_java = method != SIZE_MAX && method + 1 < name.len && is_class(from(name, own));
    return is_java ? shorten(name, own, method, room) : name;
}

/* The package goes first, since the end of a name says more than its beginning; what is then still
 * too long is cut. */
struct tv_flame_label tv_flame_label_fit(struct tv_str name, size_t room)
{
    if (room < LEAST_ROOM)
        return (struct tv_flame_label){.is_cut = false};
    if (!fits(name, room) && name.len <= TV_MARKUP_NAME_SHOWN)
        name = without_package(name, room);
    if (fits(name, room))
        return (struct tv_flame_label){.text = name};
    name.len = bytes_of(name, room - 2);
    return (struct tv_flame_label){.text = name, .is_cut = true};
}
