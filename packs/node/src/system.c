// Errors, arguments, environment, clocks, users, the terminal.

#include "node.h"
#include <fcntl.h>
#include <grp.h>
#include <math.h>
#include <pwd.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/// wasi-libc's numbers of errors and Linux's.
static const struct { int ours, linux_number; } NUMBERS[] = {
    {EPERM, 1}, {ENOENT, 2}, {ESRCH, 3}, {EINTR, 4}, {EIO, 5}, {ENXIO, 6}, {E2BIG, 7}, {ENOEXEC, 8}, {EBADF, 9}, {ECHILD, 10},
    {EAGAIN, 11}, {ENOMEM, 12}, {EACCES, 13}, {EFAULT, 14}, {EBUSY, 16}, {EEXIST, 17}, {EXDEV, 18}, {ENODEV, 19}, {ENOTDIR, 20},
    {EISDIR, 21}, {EINVAL, 22}, {ENFILE, 23}, {EMFILE, 24}, {ENOTTY, 25}, {ETXTBSY, 26}, {EFBIG, 27}, {ENOSPC, 28}, {ESPIPE, 29},
    {EROFS, 30}, {EMLINK, 31}, {EPIPE, 32}, {EDOM, 33}, {ERANGE, 34}, {EDEADLK, 35}, {ENAMETOOLONG, 36}, {ENOLCK, 37}, {ENOSYS, 38},
    {ENOTEMPTY, 39}, {ELOOP, 40}, {EPROTO, 71}, {EOVERFLOW, 75}, {EILSEQ, 84}, {ENOTSOCK, 88}, {EDESTADDRREQ, 89}, {EMSGSIZE, 90},
    {EPROTOTYPE, 91}, {ENOPROTOOPT, 92}, {EPROTONOSUPPORT, 93}, {ENOTSUP, 95}, {EAFNOSUPPORT, 97}, {EADDRINUSE, 98}, {EADDRNOTAVAIL, 99},
    {ENETUNREACH, 101}, {ECONNABORTED, 103}, {ECONNRESET, 104}, {ENOBUFS, 105}, {EISCONN, 106}, {ENOTCONN, 107}, {ETIMEDOUT, 110},
    {ECONNREFUSED, 111}, {EHOSTUNREACH, 113}, {EALREADY, 114}, {EINPROGRESS, 115}, {EDQUOT, 122}, {ECANCELED, 125},
};

JSValue failure(JSContext *ctx)
{
    int number = errno;
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++)
        if (NUMBERS[i].ours == number)
            return JS_NewInt32(ctx, -NUMBERS[i].linux_number);
    return JS_NewInt32(ctx, -5);
}

JSValue outcome(JSContext *ctx, int code)
{
    return code < 0 ? failure(ctx) : JS_NewInt32(ctx, 0);
}

int32_t int_of(JSContext *ctx, JSValueConst value)
{
    int32_t number = 0;
    JS_ToInt32(ctx, &number, value);
    return number;
}

int64_t long_of(JSContext *ctx, JSValueConst value)
{
    int64_t number = 0;
    JS_ToInt64Ext(ctx, &number, value);
    return number;
}

double double_of(JSContext *ctx, JSValueConst value)
{
    double number = 0;
    JS_ToFloat64(ctx, &number, value);
    return number;
}

static NATIVE(environment)
{
    UNUSED(self), UNUSED(argc), UNUSED(argv);
    JSValue all = JS_NewArray(ctx);
    for (uint32_t i = 0; environ && environ[i]; i++)
        JS_SetPropertyUint32(ctx, all, i, utf8_text(ctx, (uint8_t *)environ[i], strlen(environ[i])));
    return all;
}

/// A clock in nanoseconds, as a number: 0 of the world, 1 that only rises.
static NATIVE(now)
{
    UNUSED(self), UNUSED(argc);
    struct timespec time = {0};
    clock_gettime(int_of(ctx, argv[0]) ? CLOCK_MONOTONIC : CLOCK_REALTIME, &time);
    return JS_NewFloat64(ctx, time.tv_sec * 1e9 + time.tv_nsec);
}

/// Microseconds of processor time: [user, system].
static NATIVE(usage)
{
    UNUSED(self), UNUSED(argc), UNUSED(argv);
    struct rusage used = {0};
    getrusage(RUSAGE_SELF, &used);
    JSValue all = JS_NewArray(ctx);
    JS_SetPropertyUint32(ctx, all, 0, JS_NewFloat64(ctx, used.ru_utime.tv_sec * 1e6 + used.ru_utime.tv_usec));
    JS_SetPropertyUint32(ctx, all, 1, JS_NewFloat64(ctx, used.ru_stime.tv_sec * 1e6 + used.ru_stime.tv_usec));
    return all;
}

static NATIVE(random_fill)
{
    UNUSED(self), UNUSED(argc);
    size_t size;
    uint8_t *data = bytes_of(ctx, argv[0], &size);
    if (!data)
        return JS_EXCEPTION;
    for (size_t at = 0; at < size;) {
        size_t part = size - at < 256 ? size - at : 256;
        if (getentropy(data + at, part) < 0)
            return failure(ctx);
        at += part;
    }
    return JS_NewInt32(ctx, 0);
}

static uint64_t random_state[2];

/// Math.random: the engine's own begins with what the build's clock said.
static NATIVE(random_number)
{
    UNUSED(self), UNUSED(argc), UNUSED(argv);
    if (!(random_state[0] | random_state[1]))
        getentropy(random_state, sizeof random_state);
    uint64_t a = random_state[0], b = random_state[1];
    random_state[0] = b;
    a ^= a << 23;
    a ^= a >> 17;
    a ^= b ^ (b >> 26);
    random_state[1] = a;
    return JS_NewFloat64(ctx, ((a + b) >> 11) * 0x1p-53);
}

static NATIVE(working_directory)
{
    UNUSED(self), UNUSED(argc), UNUSED(argv);
    char path[4097];
    if (!getcwd(path, sizeof path))
        return failure(ctx);
    return utf8_text(ctx, (uint8_t *)path, strlen(path));
}

static NATIVE(change_directory)
{
    UNUSED(self), UNUSED(argc);
    const char *path = JS_ToCString(ctx, argv[0]);
    if (!path)
        return JS_EXCEPTION;
    JSValue done = outcome(ctx, chdir(path));
    JS_FreeCString(ctx, path);
    return done;
}

/// [pid, ppid, uid, euid, gid, egid]
static NATIVE(identity)
{
    UNUSED(self), UNUSED(argc), UNUSED(argv);
    int numbers[] = {getpid(), getppid(), getuid(), geteuid(), getgid(), getegid()};
    JSValue all = JS_NewArray(ctx);
    for (int i = 0; i < 6; i++)
        JS_SetPropertyUint32(ctx, all, i, JS_NewInt32(ctx, numbers[i]));
    return all;
}

/// The name, home and shell of a user.
static NATIVE(user)
{
    UNUSED(self), UNUSED(argc);
    struct passwd *found = getpwuid(int_of(ctx, argv[0]));
    if (!found)
        return JS_NULL;
    JSValue all = JS_NewArray(ctx);
    JS_SetPropertyUint32(ctx, all, 0, JS_NewString(ctx, found->pw_name));
    JS_SetPropertyUint32(ctx, all, 1, JS_NewString(ctx, found->pw_dir));
    JS_SetPropertyUint32(ctx, all, 2, JS_NewString(ctx, found->pw_shell));
    return all;
}

static NATIVE(host_name)
{
    UNUSED(self), UNUSED(argc), UNUSED(argv);
    char name[256] = "localhost";
    gethostname(name, sizeof name - 1);
    return JS_NewString(ctx, name);
}

static NATIVE(file_mask)
{
    UNUSED(self), UNUSED(argc);
    if (JS_IsUndefined(argv[0])) {
        mode_t mask = umask(0);
        umask(mask);
        return JS_NewInt32(ctx, mask);
    }
    return JS_NewInt32(ctx, umask(int_of(ctx, argv[0])));
}

static NATIVE(is_terminal)
{
    UNUSED(self), UNUSED(argc);
    return JS_NewBool(ctx, isatty(int_of(ctx, argv[0])));
}

/// [columns, rows], or nothing.
static NATIVE(terminal_size)
{
    UNUSED(self), UNUSED(argc);
    struct winsize size = {0};
    if (ioctl(int_of(ctx, argv[0]), TIOCGWINSZ, &size) < 0 || !size.ws_col)
        return JS_UNDEFINED;
    JSValue all = JS_NewArray(ctx);
    JS_SetPropertyUint32(ctx, all, 0, JS_NewInt32(ctx, size.ws_col));
    JS_SetPropertyUint32(ctx, all, 1, JS_NewInt32(ctx, size.ws_row));
    return all;
}

static NATIVE(raw_mode)
{
    UNUSED(self), UNUSED(argc);
    struct termios mode;
    int fd = int_of(ctx, argv[0]);
    if (tcgetattr(fd, &mode) < 0)
        return failure(ctx);
    if (JS_ToBool(ctx, argv[1]))
        mode.c_lflag &= ~(ICANON | ECHO);
    else
        mode.c_lflag |= ICANON | ECHO;
    return outcome(ctx, tcsetattr(fd, TCSANOW, &mode));
}

static NATIVE(exit_now)
{
    UNUSED(self), UNUSED(argc);
    _exit(int_of(ctx, argv[0]));
}

/// [bytes of the heap, bytes of them in use]
static NATIVE(memory)
{
    UNUSED(self), UNUSED(argc), UNUSED(argv);
    JSMemoryUsage use;
    JS_ComputeMemoryUsage(JS_GetRuntime(ctx), &use);
    JSValue all = JS_NewArray(ctx);
    JS_SetPropertyUint32(ctx, all, 0, JS_NewFloat64(ctx, __builtin_wasm_memory_size(0) * 65536.0));
    JS_SetPropertyUint32(ctx, all, 1, JS_NewFloat64(ctx, use.malloc_size));
    return all;
}

static NATIVE(collect)
{
    UNUSED(self), UNUSED(argc), UNUSED(argv);
    JS_RunGC(JS_GetRuntime(ctx));
    return JS_UNDEFINED;
}

static const JSCFunctionListEntry LIST[] = {
    JS_CFUNC_DEF("environment", 0, environment),
    JS_CFUNC_DEF("now", 1, now),
    JS_CFUNC_DEF("usage", 0, usage),
    JS_CFUNC_DEF("randomFill", 1, random_fill),
    JS_CFUNC_DEF("randomNumber", 0, random_number),
    JS_CFUNC_DEF("cwd", 0, working_directory),
    JS_CFUNC_DEF("chdir", 1, change_directory),
    JS_CFUNC_DEF("identity", 0, identity),
    JS_CFUNC_DEF("user", 1, user),
    JS_CFUNC_DEF("hostname", 0, host_name),
    JS_CFUNC_DEF("umask", 1, file_mask),
    JS_CFUNC_DEF("isatty", 1, is_terminal),
    JS_CFUNC_DEF("terminalSize", 1, terminal_size),
    JS_CFUNC_DEF("rawMode", 2, raw_mode),
    JS_CFUNC_DEF("exit", 1, exit_now),
    JS_CFUNC_DEF("memory", 0, memory),
    JS_CFUNC_DEF("collect", 0, collect),
};

void system_init(JSContext *ctx, JSValueConst native)
{
    FUNCTIONS(LIST);
}
