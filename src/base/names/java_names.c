/*
 * Java names of classes; see base/names/java_names.h. The grammar of descriptors is that of the
 * Java Virtual Machine Specification, 4.3.2, and of class names in class files, 4.2.1.
 */
#include "base/names/java_names.h"

#include <stdint.h>
#include <string.h>

#include "base/names/descriptor.h"

/* A name taken apart: an element type, and how many "[]" stand behind it. */
struct java_class {
    struct tv_str element;
    size_t dimensions;
    bool has_slashes; /* the element is written with slashes that are to become points */
};

/* Whether the slash at `at` stands before the address of a hidden class. */
static bool is_before_address(struct tv_str name, size_t at)
{
    return tv_str_starts_with((struct tv_str){name.at + at + 1, name.len - at - 1}, TV_STR("0x"));
}

/* Whether names of classes may have this byte on Android ("SimpleName" of the DEX format): any but
 * ASCII's blanks, controls and punctuation. */
static bool is_of_name(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (uint8_t)c >= 0x80 || (c && strchr("$-_.", c));
}

/* Whether a name is parts with slashes between them, none of which is empty. */
static bool is_class_file_name(struct tv_str name)
{
    bool has_slash = false;
    char before = '/';
    for (size_t i = 0; i < name.len; i++) {
        bool is_slash = name.at[i] == '/';
        if (is_slash ? before == '/' : !is_of_name(name.at[i]))
            return false;
        has_slash = has_slash || is_slash;
        before = name.at[i];
    }
    return has_slash && before != '/';
}

/* A lone letter is a class, as proguard names them, and no primitive: that needs a "[" before it.
 * There are no arrays of void. */
static struct java_class take_apart(struct tv_str name)
{
    struct java_class java = {.element = name};
    struct tv_str rest = name;
    while (rest.len && rest.at[0] == '[')
        rest = (struct tv_str){rest.at + 1, rest.len - 1};
    size_t dimensions = name.len - rest.len;
    if (rest.len > 2 && rest.at[0] == 'L' && rest.at[rest.len - 1] == ';') {
        java.element = (struct tv_str){rest.at + 1, rest.len - 2};
        java.dimensions = dimensions;
    } else if (dimensions && rest.len == 1 && rest.at[0] != 'V' &&
               tv_descriptor_primitive(rest.at[0]).len) {
        java.element = tv_descriptor_primitive(rest.at[0]);
        java.dimensions = dimensions;
    }
    java.has_slashes = is_class_file_name(java.element);
    return java;
}

size_t tv_java_class_len(struct tv_str class_name)
{
    struct java_class java = take_apart(class_name);
    return java.element.len + 2 * java.dimensions;
}

void tv_java_class_write(struct tv_str class_name, char *to)
{
    struct java_class java = take_apart(class_name);
    for (size_t i = 0; i < java.element.len; i++) {
        char c = java.element.at[i];
        *to++ = java.has_slashes && c == '/' && !is_before_address(java.element, i) ? '.' : c;
    }
    for (size_t i = 0; i < java.dimensions; i++) {
        *to++ = '[';
        *to++ = ']';
    }
}

size_t tv_java_class_named_len(struct tv_str class_name)
{
    uint64_t value;
    size_t at = class_name.len;
    while (at && class_name.at[at - 1] != '.' && class_name.at[at - 1] != '/')
        at--;
    struct tv_str last = {class_name.at + at, class_name.len - at};
    bool is_address = at > 1 && tv_str_starts_with(last, TV_STR("0x")) &&
                      tv_str_to_u64((struct tv_str){last.at + 2, last.len - 2}, 16, &value);
    return is_address ? at - 1 : class_name.len;
}
