#include "check.h"

// Output to a file appears at the end, if the buffer has room for it; what an error says appears at once.
int main(void)
{
    puts("put");
    fputs("first error\n", stderr);
    for (int i = 0; i < 300; i++)
        printf("line %d\n", i);
    fputs("second error\n", stderr);
    printf("%s\n", "last");
    return 3;
}
