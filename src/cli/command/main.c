/*
 * The program's entry. What happens is told in cli/command/command.c.
 *
 * It stands alone so that tests can link everything else and call tv_command() with words of their
 * own.
 */
#include "cli/command/command.h"

int main(int argc, char **argv)
{
    return tv_command(argc, argv);
}
