/* view: the viewer in the browser. */
#include "cli/verb.h"
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    (void)values;
    return tv_cli_misuse(cli, "no viewer yet %s", arguments->of[0]);
}
const struct tv_verb tv_verb_view = {
    .name = "view",
    .summary = "the viewer in the browser (also without the verb)",
    .arguments = "FILE",
    .argument_count = 1,
    .run = run,
};
