// Searching and comparing bytes: every alignment, lengths around sixteen, what is behind the end.

#include "check.h"

static unsigned sum = 1;

static void add(long value)
{
    sum = sum * 31 + (unsigned)value + 7;
}

static long place(const void *found, const char *from)
{
    return found ? (const char *)found - from : -1;
}

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

static void search(char *text, size_t length)
{
    static const char wanted[] = {'a', 'b', 'z', '\xff', 0};
    add(strlen(text));
    for (size_t i = 0; i < sizeof wanted; i++) {
        char byte = wanted[i];
        add(place(strchr(text, byte), text));
        add(place(strrchr(text, byte), text));
        add(place(strchrnul(text, byte), text));
        for (size_t most = 0; most <= length + 1; most += most < 20 ? 1 : 7) {
            add(place(memchr(text, byte, most), text));
            add(place(memrchr(text, byte, most), text));
        }
    }
    for (size_t most = 0; most < length + 3; most++)
        add(strnlen(text, most));
}

int main(void)
{
    static char left[4096 * 3], right[4096 * 3];
    for (size_t length = 0; length < 70; length++)
        for (size_t start = 0; start < 17; start++) {
            char *text = left + 4096 - 40 + start;
            memset(left, 'z', sizeof left);
            memset(text, 'x', length);
            text[length] = 0;
            if (length > 2) {
                text[length / 2] = 'a';
                text[length - 1] = '\xff';
            }
            search(text, length);
        }
    printf("search %u\n", sum);

    for (size_t length = 0; length < 70; length++)
        for (size_t start = 0; start < 34; start++) {
            char *a = left + 4096 - 20 + start % 17, *b = right + 4096 - 30 + start / 2;
            memset(left, 'l', sizeof left);
            memset(right, 'r', sizeof right);
            memset(a, 'x', length);
            memset(b, 'x', length);
            a[length] = b[length] = 0;
            add(sign(strcmp(a, b)));
            add(sign(memcmp(a, b, length + 2)));
            for (size_t changed = 0; changed < length; changed += 5) {
                b[changed] = changed % 2 ? '\xf0' : 'a';
                add(sign(strcmp(a, b)));
                add(sign(memcmp(a, b, length)));
                add(sign(strncmp(a, b, changed)));
                add(sign(strncmp(a, b, changed + 1)));
                add(sign(strncmp(b, a, length + 40)));
                b[changed] = 'x';
            }
        }
    printf("compare %u\n", sum);
    printf("%d\n", place(memchr(left, 'x', -1), left) >= 0);
    return 0;
}
