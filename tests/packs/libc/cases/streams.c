#include "check.h"

// Output to a file appears when the buffer is full, or at the end; what an error says appears at once.
int main(void)
{
    puts("put");
    fputs("first error\n", stderr);
    for (int i = 0; i < 700; i++)
        printf("line %d\n", i);
    fputs("second error\n", stderr);
    printf("%s\n", "last");
    return 3;
}
