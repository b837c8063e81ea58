/* The program's entry. What happens is told in cli/command/command.c. */
#include "cli/command/command.h"

int main(int argc, char **argv)
{
    return tv_command(argc, argv);
}
