/*
 * What the processor says that it is called, so that times of different ones are not compared. It
 * is functions in a header because two write it: the recorder, which links nothing of ours, and the
 * command, which samples programs from outside.
 *
 * An x86 says it by CPUID. Others are asked by the kernel's list, /proc/cpuinfo, in which some have
 * a name, and ARM's have numbers of the maker and the part: "41:d05 41:d0b" has two kinds of cores,
 * by the first of each. Without either nothing is said.
 */
#ifndef TV_RECORD_PROCESSOR_H
#define TV_RECORD_PROCESSOR_H

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#define TV_HAS_CPUID 1
#else
#define TV_HAS_CPUID 0
#endif

#define TV_PROCESSOR_CAP 64u
/* The most bytes of the list that are read. */
#define TV_PROCESSOR_LIST_MOST 16384u

/* Adds text to a name without the blanks that it begins or ends with; what is not printable is a
 * blank. */
TV_INLINE void tv_processor_add(char name[TV_PROCESSOR_CAP], const char *from, size_t len)
{
    size_t count = strlen(name);
    for (size_t i = 0; i < len && from[i] && count < TV_PROCESSOR_CAP - 1; i++) {
        const char sign = from[i] > ' ' && from[i] < 0x7f ? from[i] : ' ';
        if (sign != ' ' || (count && name[count - 1] != ' '))
            name[count++] = sign;
    }
    while (count && name[count - 1] == ' ')
        count--;
    name[count] = '\0';
}

/* The value of a line "key	: value" of the list, which begins at `line`; NULL: it is another.
 */
TV_INLINE const char *tv_processor_value(const char *line, const char *key)
{
    size_t len = strlen(key);
    if (strncmp(line, key, len) != 0)
        return NULL;
    for (line += len; *line == ' ' || *line == '\t';)
        line++;
    if (*line++ != ':')
        return NULL;
    while (*line == ' ' || *line == '\t')
        line++;
    return line;
}

/* Adds a kind of core, "41:d0b", unless it is there. */
TV_INLINE void tv_processor_add_core(char name[TV_PROCESSOR_CAP], const char *maker,
                                     const char *part)
{
    char core[TV_PROCESSOR_CAP] = "";
    maker += strncmp(maker, "0x", 2) == 0 ? 2 : 0;
    part += strncmp(part, "0x", 2) == 0 ? 2 : 0;
    tv_processor_add(core, maker, strcspn(maker, "\n"));
    tv_processor_add(core, ":", 1);
    tv_processor_add(core, part, strcspn(part, "\n"));
    size_t len = strlen(core);
    size_t has = strlen(name);
    for (const char *at = name; (at = strstr(at, core)); at += len) {
        if ((at == name || at[-1] == ' ') && (!at[len] || at[len] == ' '))
            return;
    }
    if (has + 1 + len >= TV_PROCESSOR_CAP)
        return;
    if (has)
        name[has++] = ' ';
    memcpy(name + has, core, len + 1);
}

/* The name by the kernel's list, which ends with a NUL: the kinds of cores where they are told,
 * else the first name. */
TV_INLINE void tv_processor_of_list(char name[TV_PROCESSOR_CAP], const char *list)
{
    static const char *const keys[] = {"model name", "cpu model", "uarch", "cpu"};
    const char *maker = NULL;
    char cores[TV_PROCESSOR_CAP] = "";
    name[0] = '\0';
    for (const char *line = list; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        for (size_t i = 0; !name[0] && i < sizeof(keys) / sizeof(*keys); i++) {
            const char *value = tv_processor_value(line, keys[i]);
            if (value)
                tv_processor_add(name, value, strcspn(value, "\n"));
        }
        const char *told = tv_processor_value(line, "CPU implementer");
        const char *part = tv_processor_value(line, "CPU part");
        maker = told ? told : maker;
        if (maker && part)
            tv_processor_add_core(cores, maker, part);
    }
    if (cores[0])
        memcpy(name, cores, sizeof(cores));
}

/* What the processor says that it is called, in printable ASCII and ended by a NUL; "": it does not
 * say. */
TV_INLINE void tv_processor_name(char name[TV_PROCESSOR_CAP])
{
    name[0] = '\0';
#if TV_HAS_CPUID
    unsigned words[3][4] = {{0}}; /* 48 bytes, by CPUID 80000002h to 80000004h */
    for (unsigned i = 0; i < 3; i++) {
        if (!__get_cpuid(0x80000002u + i, &words[i][0], &words[i][1], &words[i][2], &words[i][3]))
            words[0][0] = 0;
    }
    char text[sizeof(words)];
    memcpy(text, words, sizeof(words));
    tv_processor_add(name, text, sizeof(text));
#else
    char list[TV_PROCESSOR_LIST_MOST];
    size_t count = 0;
    ssize_t len = 1;
    int file = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    while (file >= 0 && len > 0 && count < sizeof(list) - 1) {
        len = read(file, list + count, sizeof(list) - 1 - count);
        count += len > 0 ? (size_t)len : 0;
    }
    if (file >= 0)
        close(file);
    list[count] = '\0';
    tv_processor_of_list(name, list);
#endif
}

#endif
