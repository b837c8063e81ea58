/* The program's entry; the story is in cli/command.c. */
#include "cli/command.h"

int main(int argc, char **argv)
{
    return tv_command(argc, argv);
}
