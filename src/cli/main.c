/* The program's entry; the story is in cli/command.c. */

int main(void)
{
    return 0;
}
