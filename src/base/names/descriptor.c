/*
 * Field descriptors of the Java Virtual Machine ("[I", "Ljava/lang/String;"); see
 * base/names/descriptor.h. A descriptor is taken from the front of a text, which is left as it was
 * where it does not begin with one.
 */
#include "base/names/descriptor.h"

#include <string.h>

struct tv_str tv_descriptor_primitive(char letter)
{
    switch (letter) {
    case 'Z':
        return TV_STR("boolean");
    case 'B':
        return TV_STR("byte");
    case 'C':
        return TV_STR("char");
    case 'S':
        return TV_STR("short");
    case 'I':
        return TV_STR("int");
    case 'J':
        return TV_STR("long");
    case 'F':
        return TV_STR("float");
    case 'D':
        return TV_STR("double");
    case 'V':
        return TV_STR("void");
    default:
        return (struct tv_str){NULL, 0};
    }
}

bool tv_descriptor_take(struct tv_str *text, struct tv_descriptor *type)
{
    size_t at = 0;
    while (at < text->len && text->at[at] == '[')
        at++;
    if (at == text->len)
        return false;
    struct tv_str name = tv_descriptor_primitive(text->at[at]);
    size_t end = at + 1;
    if (!name.len) {
        const char *last =
            text->at[at] == 'L' ? memchr(text->at + end, ';', text->len - end) : NULL;
        if (!last)
            return false;
        name = (struct tv_str){text->at + end, (size_t)(last - text->at) - end};
        end += name.len + 1;
    }
    *type = (struct tv_descriptor){.name = name, .dimensions = at};
    *text = (struct tv_str){text->at + end, text->len - end};
    return true;
}
