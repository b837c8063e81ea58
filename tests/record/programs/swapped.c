/* A library that replaced.c loads, and then another one from the same path. */
#ifdef IS_NEW
#define helper new_helper
#endif

void entry(void);

static int helper(int value)
{
    return value + 1;
}

void entry(void)
{
#ifdef IS_NEW
    helper(3);
#endif
    helper(2);
}
