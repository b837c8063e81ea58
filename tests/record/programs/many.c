/* A program of very many functions (many.s). */
void call_all(void);

int main(void)
{
    call_all();
    return 0;
}
