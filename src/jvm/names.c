/*
 * Names; see jvm/names.h.
 *
 * The virtual machine writes names in modified UTF-8, in which a character beyond U+FFFF is a pair
 * of surrogates of three bytes each; they become the one character of four bytes that UTF-8 has.
 * Classes are written with dots, as Java's sources do.
 */
#include "jvm/names.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "record/recorder.h"

#define SURROGATE_LEN 3u /* bytes of each half of a pair, in modified UTF-8 */

/* Whether three bytes are a surrogate of this half of a pair: 0xa0 for the first, 0xb0 for the
 * second. */
static bool is_surrogate(const unsigned char *at, size_t left, unsigned char half)
{
    return left >= SURROGATE_LEN && at[0] == 0xed && (at[1] & 0xf0) == half &&
           (at[2] & 0xc0) == 0x80;
}

static uint32_t bits_of(const unsigned char *surrogate)
{
    return (uint32_t)(surrogate[1] & 0x0f) << 6 | (surrogate[2] & 0x3f);
}

/* Copies as much of a name as fits, whole characters of pairs only; '/' becomes `slash`. */
static void copy(char to[TV_JVM_NAME_CAP], const char *name, size_t len, char slash)
{
    const unsigned char *from = (const unsigned char *)name;
    size_t out = 0;
    for (size_t at = 0; at < len && out + 4 < TV_JVM_NAME_CAP;) {
        if (is_surrogate(from + at, len - at, 0xa0) &&
            is_surrogate(from + at + SURROGATE_LEN, len - at - SURROGATE_LEN, 0xb0)) {
            uint32_t code =
                0x10000 + (bits_of(from + at) << 10 | bits_of(from + at + SURROGATE_LEN));
            to[out++] = (char)(0xf0 | code >> 18);
            to[out++] = (char)(0x80 | (code >> 12 & 0x3f));
            to[out++] = (char)(0x80 | (code >> 6 & 0x3f));
            to[out++] = (char)(0x80 | (code & 0x3f));
            at += 2 * SURROGATE_LEN;
        } else {
            to[out++] = name[at] == '/' ? slash : name[at];
            at++;
        }
    }
    to[out] = '\0';
}

void tv_jvm_names_class(char to[TV_JVM_NAME_CAP], const char *name, size_t len)
{
    copy(to, name, len, '.');
}

void tv_jvm_names_text(char to[TV_JVM_NAME_CAP], const char *name)
{
    copy(to, name, strlen(name), '/');
}

size_t tv_jvm_names_thread_len(const char *name)
{
    const size_t len = strlen(name);
    const char *number = strrchr(name, '#');
    const char *coroutine = number ? memrchr(name, '@', (size_t)(number - name)) : NULL;
    if (!coroutine || coroutine == name || coroutine[-1] != ' ' || !number[1] ||
        strspn(number + 1, "0123456789") != strlen(number + 1))
        return len;
    return (size_t)(coroutine - 1 - name);
}

const char *tv_jvm_names_in_descriptor(const char *descriptor, size_t *len)
{
    size_t whole = strlen(descriptor);
    if (whole < 3 || descriptor[0] != 'L')
        return NULL;
    *len = whole - 2;
    return descriptor + 1;
}

bool tv_jvm_names_are_of_lambda(const char *name, size_t len)
{
    static const char lambda[] = "$$Lambda"; /* and a '$' before Java 21 */
    return memmem(name, len, lambda, sizeof(lambda) - 1) != NULL;
}

bool tv_jvm_names_are_hidden(const char *name, size_t len)
{
    /* A hidden class has a '.' (Java 15 and later); before that lambdas had numbered names. */
    static const char lambda[] = "$$Lambda$";
    return memchr(name, '.', len) || memmem(name, len, lambda, sizeof(lambda) - 1);
}

uint32_t tv_jvm_names_number(const char *class_name, size_t class_len, const char *name,
                             const char *signature, const char *file, int line)
{
    /* In static memory and not on the stack, which may be almost full in a program that recurses
     * too deep. */
    static char own_class[TV_JVM_NAME_CAP], own_name[TV_JVM_NAME_CAP],
        own_signature[TV_JVM_NAME_CAP];
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    tv_jvm_names_class(own_class, class_name, class_len);
    tv_jvm_names_text(own_name, name);
    tv_jvm_names_text(own_signature, signature);
    uint32_t number = tv_recorder_method(&(struct tv_method_text){.class_name = own_class,
                                                                  .name = own_name,
                                                                  .signature = own_signature,
                                                                  .file = file,
                                                                  .line = line});
    pthread_mutex_unlock(&lock);
    return number;
}
