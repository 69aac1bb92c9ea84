// A `main` with three parameters, the last for the environment. The compiler gives those with two, or none, a name of their own that
// wasi-libc calls; this is there if the program has no such.

extern char **environ;

int three(int count, char **arguments, char **environment) __asm__("main") __attribute__((weak));

int __main_argc_argv(int count, char **arguments)
{
    return three(count, arguments, environ);
}
