// Streams.

#include <stdio.h>
#include <unistd.h>

// As large a buffer as programs have elsewhere: wasi-libc's has a quarter of it. It decides when output of both kinds that goes to
// one place appears in which order.
__attribute__((constructor, used)) void sandshell_streams(void)
{
    static char buffer[4096 + 8];
    if (!isatty(STDOUT_FILENO))
        setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
}

// A process has one thread: streams need no locks.
void flockfile(FILE *stream)
{
    (void)stream;
}

int ftrylockfile(FILE *stream)
{
    (void)stream;
    return 0;
}

void funlockfile(FILE *stream)
{
    (void)stream;
}
