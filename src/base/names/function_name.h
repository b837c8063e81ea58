/* The parts of a function's name as C++ writes it: "std::map<int, a::b>::find(int const&) const".
 */
#ifndef TV_BASE_NAMES_FUNCTION_NAME_H
#define TV_BASE_NAMES_FUNCTION_NAME_H

#include "base/str.h"

/* Views of the name; empty where it has no such part. */
struct tv_function_name {
    struct tv_str scope;     /* "std::map<int, a::b>" */
    struct tv_str name;      /* "find"; of a function that has nothing else, all of it */
    struct tv_str signature; /* "(int const&) const" */
};

struct tv_function_name tv_function_name_part(struct tv_str name);

#endif
