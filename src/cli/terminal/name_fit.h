/*
 * Names of methods within a width: "java.util.concurrent.FutureTask.run(Callable)".
 *
 * What tells least goes first: the address of a hidden class, such as a lambda's, then packages
 * from the left, then the parameters, then the beginning of the class. The method itself goes last.
 */
#ifndef TV_CLI_TERMINAL_NAME_FIT_H
#define TV_CLI_TERMINAL_NAME_FIT_H

#include "base/str.h"
#include "cli/terminal/terminal.h"
#include "cli/wording.h"

/* Adds the name, which is escaped already, in at most `width` columns; 0: all of it. Package and
 * parameters stand out less than the rest where there is colour. */
void tv_name_fit(struct tv_text *out, const struct tv_terminal *terminal, struct tv_str name,
                 size_t width);
/* Adds the beginning of a text, cut to `width` columns, with the styles in it. */
void tv_text_fit(struct tv_text *out, const struct tv_terminal *terminal, struct tv_str text,
                 size_t width);
/* Adds the end of a text, cut to `width` columns: of a path, the file counts. */
void tv_text_fit_end(struct tv_text *out, const struct tv_terminal *terminal, struct tv_str text,
                     size_t width);

#endif
