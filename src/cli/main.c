/* The program's entry. What happens is told in cli/command.c. */
#include "cli/command.h"

int main(int argc, char **argv)
{
    return tv_command(argc, argv);
}
