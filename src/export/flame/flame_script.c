/*
 * The bytes that flame_script.S put into the binary; see export/flame/flame_script.h. A build
 * without node has none, and pictures are then without a script.
 */
#include "export/flame/flame_script.h"

#include <stddef.h>

#ifdef TV_HAS_PAGE

extern const char tv_flame_script_text[], tv_flame_script_text_end[];

struct tv_str tv_flame_script(void)
{
    return (struct tv_str){tv_flame_script_text,
                           (size_t)(tv_flame_script_text_end - tv_flame_script_text)};
}

#else

struct tv_str tv_flame_script(void)
{
    return (struct tv_str){NULL, 0};
}

#endif
