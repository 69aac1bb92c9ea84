// A main with three parameters.

#include "check.h"

int main(int count, char **arguments, char **environment)
{
    int found = 0;
    for (char **each = environment; *each; each++)
        found += strncmp(*each, "PATH=", 5) == 0;
    printf("%d %d %d\n", count, arguments[1] == NULL, found);
    return 3;
}
