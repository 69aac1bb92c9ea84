#include "check.h"

// Whether a number is an integer of 64 bits, as programs ask it.
static void show(double number)
{
    long long integer = (long long)number;
    if (number == (double)integer)
        printf("%lld\n", integer);
    else
        printf("%g\n", number);
}

int main(int count, char **arguments)
{
    (void)arguments;
    double numbers[] = {1, -7, 1.5, 9e15, 1e18, 1e19, 1e100, -1e100, 0.0 / count - 0.25};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        show(numbers[i] * count);
    const char *texts[] = {"1.5", "none", "", "1e999", "-", "0x1p3z"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *end;
        errno = 0;
        printf("%g", strtod(texts[i], &end));
        printf(" %d %s", (int)(end - texts[i]), why());
        printf(" %d %s\n", strtof(texts[i], NULL) > 0, why());
    }
    return 0;
}
