/*
 * Names of functions by Rust compilers; see base/names/rust_name.h, and the rustc book, "v0 Symbol
 * Format", for the bytes.
 *
 * A name of version 0 is a path of identifiers, types and constants, any of which may stand for one
 * that was there before by its place. The reader follows the grammar, to a limited depth that no
 * compiler reaches and for a limited number of parts, so it also ends on names whose back
 * references multiply.
 */
#include "base/names/rust_name.h"

#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/hex.h"
#include "base/str.h"

#define DEPTH_MOST 64u
#define PARTS_MOST 10000u
#define HASH_LEN 16u

struct reading {
    const char *begin; /* behind "_R": places count from here */
    const char *at;    /* what ends with NUL is read no further than that */
    char *text;
    size_t len, cap;
    unsigned depth;
    unsigned parts;  /* that were read */
    unsigned silent; /* nothing is written while it is not 0 */
    bool is_wrong;
};

static void put(struct reading *reading, const char *text, size_t len)
{
    if (reading->silent || reading->is_wrong)
        return;
    if (len >= reading->cap - reading->len) {
        reading->is_wrong = true;
        return;
    }
    memcpy(reading->text + reading->len, text, len);
    reading->len += len;
}

static void put_text(struct reading *reading, const char *text)
{
    put(reading, text, strlen(text));
}

static bool take(struct reading *reading, char c)
{
    if (reading->is_wrong || *reading->at != c)
        return false;
    reading->at++;
    return true;
}

/* The next character; NUL at the end, which is wrong where something is expected. */
static char take_any(struct reading *reading)
{
    if (reading->is_wrong || !*reading->at) {
        reading->is_wrong = true;
        return '\0';
    }
    return *reading->at++;
}

static uint64_t take_decimal(struct reading *reading)
{
    uint64_t value = 0;
    if (*reading->at < '0' || *reading->at > '9') {
        reading->is_wrong = true;
        return 0;
    }
    if (take(reading, '0'))
        return 0;
    while (*reading->at >= '0' && *reading->at <= '9' && value < UINT32_MAX)
        value = 10 * value + (uint64_t)(*reading->at++ - '0');
    return value;
}

/* "_" is 0, "0_" is 1, and so on; a number beyond 64 bits, which no compiler writes, loses its high
 * bits. */
static uint64_t take_base62(struct reading *reading)
{
    uint64_t value = 0;
    if (take(reading, '_'))
        return 0;
    for (;;) {
        const char c = take_any(reading);
        if (c == '_' || reading->is_wrong)
            return value + 1;
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'z' ? c - 'a' + 10
                          : c >= 'A' && c <= 'Z' ? c - 'A' + 36
                                                 : -1;
        reading->is_wrong |= digit < 0;
        value = 62 * value + (uint64_t)(digit < 0 ? 0 : digit);
    }
}

static uint64_t take_disambiguator(struct reading *reading)
{
    return take(reading, 's') ? take_base62(reading) + 1 : 0;
}

/* Names that are not of ASCII stay in Punycode. */
static struct tv_str take_identifier(struct reading *reading)
{
    (void)take(reading, 'u');
    const uint64_t len = take_decimal(reading);
    (void)take(reading, '_');
    const char *begin = reading->at;
    for (uint64_t i = 0; i < len && !reading->is_wrong; i++)
        (void)take_any(reading);
    return (struct tv_str){begin, (size_t)(reading->at - begin)};
}

static void put_number(struct reading *reading, uint64_t value)
{
    char digits[24];
    size_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    put(reading, digits + at, sizeof(digits) - at);
}

static const char *basic_type(char c)
{
    static const char *const names[] = {
        ['a' - 'a'] = "i8",    ['b' - 'a'] = "bool", ['c' - 'a'] = "char", ['d' - 'a'] = "f64",
        ['e' - 'a'] = "str",   ['f' - 'a'] = "f32",  ['h' - 'a'] = "u8",   ['i' - 'a'] = "isize",
        ['j' - 'a'] = "usize", ['l' - 'a'] = "i32",  ['m' - 'a'] = "u32",  ['n' - 'a'] = "i128",
        ['o' - 'a'] = "u128",  ['p' - 'a'] = "_",    ['s' - 'a'] = "i16",  ['t' - 'a'] = "u16",
        ['u' - 'a'] = "()",    ['v' - 'a'] = "...",  ['x' - 'a'] = "i64",  ['y' - 'a'] = "u64",
        ['z' - 'a'] = "!"};
    return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

/* What follows reads itself what it contains: the depth is bounded (begin_part()). */
/* NOLINTBEGIN(misc-no-recursion) */

static void read_path(struct reading *reading);
static void read_type(struct reading *reading);
static void read_const(struct reading *reading);

static bool begin_part(struct reading *reading)
{
    reading->is_wrong |= ++reading->depth > DEPTH_MOST || ++reading->parts > PARTS_MOST;
    return !reading->is_wrong;
}

/* Reads at the place that stands before this one, which is behind its "B". */
static void read_again(struct reading *reading, void (*read)(struct reading *reading))
{
    const char *mark = reading->at - 1;
    const uint64_t place = take_base62(reading);
    const char *behind = reading->at;
    if (reading->is_wrong || place >= (uint64_t)(mark - reading->begin)) {
        reading->is_wrong = true;
        return;
    }
    if (reading->silent)
        return; /* nothing of it would be seen */
    reading->at = reading->begin + place;
    read(reading);
    reading->at = behind;
}

/* A lifetime says nothing of a function. */
static void read_argument(struct reading *reading)
{
    if (take(reading, 'L'))
        (void)take_base62(reading);
    else if (take(reading, 'K'))
        read_const(reading);
    else
        read_type(reading);
}

/* Parts with commas between, up to "E". Returns how many there are. */
static size_t read_list(struct reading *reading, void (*read)(struct reading *reading))
{
    size_t count = 0;
    while (!reading->is_wrong && !take(reading, 'E')) {
        const size_t before = reading->len;
        if (count)
            put_text(reading, ", ");
        const size_t begin = reading->len;
        read(reading);
        if (reading->len == begin)
            reading->len = before;
        else
            count++;
    }
    return count;
}

/* Of an implementation, where it stands in the source is not shown. */
static void skip_place(struct reading *reading)
{
    (void)take_disambiguator(reading);
    reading->silent++;
    read_path(reading);
    reading->silent--;
}

static void read_nested(struct reading *reading)
{
    const char space = take_any(reading);
    read_path(reading);
    const uint64_t number = take_disambiguator(reading);
    const struct tv_str name = take_identifier(reading);
    if (space >= 'A' && space <= 'Z') {
        put_text(reading, "::{");
        if (space == 'C')
            put_text(reading, "closure");
        else if (space == 'S')
            put_text(reading, "shim");
        else
            put(reading, &space, 1);
        if (name.len)
            put_text(reading, ":");
        put(reading, name.at, name.len);
        put_text(reading, "#");
        put_number(reading, number);
        put_text(reading, "}");
    } else if (name.len) {
        put_text(reading, "::");
        put(reading, name.at, name.len);
    }
}

/* By its first letter a path is a crate (C), something inside another path (N), an implementation
 * of a type (M), of a trait for a type (X, Y), a path with type arguments (I), or one that was
 * there before (B). Arguments that show nothing, such as lifetimes, leave no brackets. */
static void read_path(struct reading *reading)
{
    const char tag = take_any(reading);
    if (!begin_part(reading))
        return;
    if (tag == 'C') {
        (void)take_disambiguator(reading);
        const struct tv_str name = take_identifier(reading);
        put(reading, name.at, name.len);
    } else if (tag == 'N') {
        read_nested(reading);
    } else if (tag == 'M' || tag == 'X' || tag == 'Y') {
        if (tag != 'Y')
            skip_place(reading);
        put_text(reading, "<");
        read_type(reading);
        if (tag != 'M') {
            put_text(reading, " as ");
            read_path(reading);
        }
        put_text(reading, ">");
    } else if (tag == 'I') {
        read_path(reading);
        const size_t before = reading->len;
        put_text(reading, "<");
        if (read_list(reading, read_argument))
            put_text(reading, ">");
        else
            reading->len = before;
    } else if (tag == 'B') {
        read_again(reading, read_path);
    } else {
        reading->is_wrong = true;
    }
    reading->depth--;
}

/* `for<'a>` of lifetimes, which are not shown. */
static void skip_binder(struct reading *reading)
{
    if (take(reading, 'G'))
        (void)take_base62(reading);
}

static void read_function_type(struct reading *reading)
{
    skip_binder(reading);
    if (take(reading, 'U'))
        put_text(reading, "unsafe ");
    if (take(reading, 'K')) {
        put_text(reading, "extern \"");
        if (take(reading, 'C')) {
            put_text(reading, "C");
        } else {
            const struct tv_str name = take_identifier(reading);
            put(reading, name.at, name.len);
        }
        put_text(reading, "\" ");
    }
    put_text(reading, "fn(");
    (void)read_list(reading, read_type);
    put_text(reading, ")");
    if (take(reading, 'u'))
        return;
    put_text(reading, " -> ");
    read_type(reading);
}

/* Whether the name so far ends with the bracket of arguments, which is taken back. */
static bool reopen_bracket(struct reading *reading)
{
    const bool is_there =
        !reading->silent && reading->len && reading->text[reading->len - 1] == '>';
    reading->len -= is_there;
    return is_there;
}

/* Traits with " + " between, and in brackets which types they have. */
static void read_traits(struct reading *reading)
{
    skip_binder(reading);
    for (size_t count = 0; !reading->is_wrong && !take(reading, 'E'); count++) {
        if (count)
            put_text(reading, " + ");
        read_path(reading);
        bool has_types = false;
        while (take(reading, 'p')) {
            const struct tv_str name = take_identifier(reading);
            has_types = has_types || reopen_bracket(reading);
            put_text(reading, has_types ? ", " : "<");
            has_types = true;
            put(reading, name.at, name.len);
            put_text(reading, " = ");
            read_type(reading);
        }
        if (has_types)
            put_text(reading, ">");
    }
    if (take(reading, 'L'))
        (void)take_base62(reading);
}

static void read_reference(struct reading *reading, const char *mark)
{
    if (take(reading, 'L'))
        (void)take_base62(reading);
    put_text(reading, mark);
    read_type(reading);
}

/* By its first letter a type is a basic one, a reference (R, Q), a pointer (P, O), an array or a
 * slice (A, S), a tuple (T), a function (F), a trait object (D), or one that was there before (B).
 * Any other letter begins a path, so it is given back. */
static void read_type(struct reading *reading)
{
    const char tag = take_any(reading);
    const char *name = basic_type(tag);
    if (!begin_part(reading))
        return;
    if (name) {
        put_text(reading, name);
    } else if (tag == 'R' || tag == 'Q') {
        read_reference(reading, tag == 'R' ? "&" : "&mut ");
    } else if (tag == 'P' || tag == 'O') {
        put_text(reading, tag == 'P' ? "*const " : "*mut ");
        read_type(reading);
    } else if (tag == 'A' || tag == 'S') {
        put_text(reading, "[");
        read_type(reading);
        if (tag == 'A') {
            put_text(reading, "; ");
            read_const(reading);
        }
        put_text(reading, "]");
    } else if (tag == 'T') {
        put_text(reading, "(");
        put_text(reading, read_list(reading, read_type) == 1 ? ",)" : ")");
    } else if (tag == 'F') {
        read_function_type(reading);
    } else if (tag == 'D') {
        put_text(reading, "dyn ");
        read_traits(reading);
    } else if (tag == 'B') {
        read_again(reading, read_type);
    } else {
        reading->at--;
        read_path(reading);
    }
    reading->depth--;
}

/* A constant's digits, decimal where 64 bits hold it. */
static void read_number(struct reading *reading, char type)
{
    const bool is_negative = take(reading, 'n');
    const char *digits = reading->at;
    uint64_t value = 0;
    while (tv_hex_value(*reading->at) >= 0)
        value = value << 4 | (uint64_t)tv_hex_value(*reading->at++);
    const size_t len = (size_t)(reading->at - digits);
    reading->is_wrong |= !take(reading, '_');
    if (type == 'b') {
        put_text(reading, value ? "true" : "false");
        return;
    }
    if (is_negative)
        put_text(reading, "-");
    if (len <= HASH_LEN && type != 'c') {
        put_number(reading, value);
        return;
    }
    put_text(reading, "0x");
    put(reading, digits, len);
}

static void read_const(struct reading *reading)
{
    const char type = take_any(reading);
    if (!begin_part(reading))
        return;
    if (type == 'p')
        put_text(reading, "_");
    else if (type == 'B')
        read_again(reading, read_const);
    else if (basic_type(type) && type != 'e')
        read_number(reading, type);
    else
        reading->is_wrong = true; /* of a structure: unstable, and seldom */
    reading->depth--;
}

/* NOLINTEND(misc-no-recursion) */

/* A name of version 0. What the linker adds, as ".llvm.123", is left out. */
static bool read_version_0(struct reading *reading, const char *name)
{
    reading->begin = reading->at = name;
    if (*name >= '0' && *name <= '9')
        return false; /* a version that is not known */
    read_path(reading);
    if (!reading->is_wrong && *reading->at && *reading->at != '.') { /* the crate that made it */
        reading->silent++;
        read_path(reading);
        reading->silent--;
    }
    return !reading->is_wrong && (!*reading->at || *reading->at == '.');
}

/*
 * The older way.
 */

/* Whether the name ends with "::h" and the digits of a hash; *len is then what is before. */
static bool has_hash(struct tv_str name, size_t *len)
{
    const size_t mark_len = 3;
    if (name.len <= HASH_LEN + mark_len)
        return false;
    const struct tv_str digits = {name.at + name.len - HASH_LEN, HASH_LEN};
    *len = name.len - HASH_LEN - mark_len;
    return tv_hex_is(digits) && memcmp(name.at + *len, "::h", mark_len) == 0;
}

/* What "$LT$" and the like stand for; returns the length that was read; 0: it is none. */
static size_t put_escape(struct reading *reading, struct tv_str rest)
{
    static const struct {
        const char *name, *text;
    } escapes[] = {{"$SP$", "@"},  {"$BP$", "*"},  {"$RF$", "&"},  {"$LT$", "<"},   {"$GT$", ">"},
                   {"$LP$", "("},  {"$RP$", ")"},  {"$C$", ","},   {"$u7e$", "~"},  {"$u20$", " "},
                   {"$u27$", "'"}, {"$u3d$", "="}, {"$u5b$", "["}, {"$u5d$", "]"},  {"$u7b$", "{"},
                   {"$u7d$", "}"}, {"$u3b$", ";"}, {"$u2b$", "+"}, {"$u22$", "\""}, {"..", "::"}};
    for (size_t i = 0; i < TV_COUNT_OF(escapes); i++) {
        if (tv_str_starts_with(rest, tv_str_from(escapes[i].name))) {
            put_text(reading, escapes[i].text);
            return strlen(escapes[i].name);
        }
    }
    return 0;
}

/* A part that begins with an escape has "_" before it. */
static bool read_older(struct reading *reading, struct tv_str name)
{
    const size_t clone = tv_str_find(name, TV_STR(" [clone "), TV_CASE_EXACT);
    size_t len = 0;
    if (clone != SIZE_MAX) /* as of ".llvm.123" */
        name.len = clone;
    if (!has_hash(name, &len))
        return false;
    for (size_t at = 0; at < len;) {
        const bool is_first =
            at == 0 || (at > 1 && name.at[at - 1] == ':' && name.at[at - 2] == ':');
        if (is_first && name.at[at] == '_' && at + 1 < len && name.at[at + 1] == '$') {
            at++;
            continue;
        }
        const size_t escape_len = put_escape(reading, (struct tv_str){name.at + at, len - at});
        if (!escape_len)
            put(reading, name.at + at, 1);
        at += escape_len ? escape_len : 1;
    }
    return !reading->is_wrong;
}

bool tv_rust_name_read(const char *name, char *text, size_t cap)
{
    struct reading reading = {.text = text, .cap = cap};
    const bool is_read = strncmp(name, "_R", 2) == 0 ? read_version_0(&reading, name + 2)
                                                     : read_older(&reading, tv_str_from(name));
    text[reading.len] = '\0';
    return is_read;
}
