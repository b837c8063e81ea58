/* A library that instrumented.cpp loads. */
void loaded(void);

void loaded(void)
{
}
