// Processes, pipes, signals and waiting for descriptors.

#include "node.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_WORDS 100000
#define MOST_FILES 256

/// A list of words as exec wants it, or NULL with an exception.
static char **words(JSContext *ctx, JSValueConst list)
{
    int64_t count = 0;
    if (JS_GetLength(ctx, list, &count) < 0)
        return NULL;
    if (count < 0 || count > MOST_WORDS) {
        JS_ThrowRangeError(ctx, "too many words");
        return NULL;
    }
    char **all = calloc(count + 1, sizeof *all);
    for (int64_t i = 0; all && i < count; i++) {
        JSValue word = JS_GetPropertyInt64(ctx, list, i);
        const char *text = JS_ToCString(ctx, word);
        all[i] = strdup(text ? text : "");
        if (text)
            JS_FreeCString(ctx, text);
        JS_FreeValue(ctx, word);
    }
    return all;
}

static void free_words(char **all)
{
    for (size_t i = 0; all && all[i]; i++)
        free(all[i]);
    free(all);
}

/// What the child's descriptors are: `files[n]` is the parent's descriptor that is the child's n, or -1.
static int arrange(JSContext *ctx, posix_spawn_file_actions_t *actions, JSValueConst files)
{
    int64_t count = 0;
    JS_GetLength(ctx, files, &count);
    if (count > MOST_FILES)
        return -1;
    // First above all of them, so that none overwrites one that is still needed.
    for (int turn = 0; turn < 2; turn++)
        for (int64_t i = 0; i < count; i++) {
            JSValue value = JS_GetPropertyInt64(ctx, files, i);
            int fd = int_of(ctx, value), high = MOST_FILES + (int)i;
            JS_FreeValue(ctx, value);
            if (fd < 0)
                continue;
            if (turn == 0)
                posix_spawn_file_actions_adddup2(actions, fd, high);
            else {
                posix_spawn_file_actions_adddup2(actions, high, (int)i);
                posix_spawn_file_actions_addclose(actions, high);
            }
        }
    return 0;
}

/// (file, arguments, environment, directory or null, descriptors): the process's number.
static NATIVE(process_spawn)
{
    UNUSED(self), UNUSED(argc);
    const char *file = JS_ToCString(ctx, argv[0]);
    const char *folder = JS_IsNull(argv[3]) ? NULL : JS_ToCString(ctx, argv[3]);
    char **arguments = words(ctx, argv[1]), **environment = words(ctx, argv[2]);
    JSValue result = JS_EXCEPTION;
    if (file && arguments && environment) {
        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        posix_spawn_file_actions_init(&actions);
        posix_spawnattr_init(&attributes);
        sigset_t defaults;
        sigemptyset(&defaults);
        for (int number = 1; number < 32; number++)
            if (number != SIGKILL && number != SIGSTOP)
                sigaddset(&defaults, number);
        posix_spawnattr_setsigdefault(&attributes, &defaults);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
        pid_t child = 0;
        int why = arrange(ctx, &actions, argv[4]) < 0 ? EINVAL : 0;
        if (!why && folder)
            posix_spawn_file_actions_addchdir_np(&actions, folder);
        if (!why)
            why = posix_spawn(&child, file, &actions, &attributes, arguments, environment);
        errno = why;
        result = why ? failure(ctx) : JS_NewInt32(ctx, child);
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
    }
    free_words(arguments);
    free_words(environment);
    if (folder)
        JS_FreeCString(ctx, folder);
    if (file)
        JS_FreeCString(ctx, file);
    return result;
}

/// (pid, whether to wait): [pid, status, signal]; pid is 0 if it has not ended.
static NATIVE(process_wait)
{
    UNUSED(self), UNUSED(argc);
    int status = 0;
    pid_t pid = waitpid(int_of(ctx, argv[0]), &status, JS_ToBool(ctx, argv[1]) ? 0 : WNOHANG);
    if (pid < 0)
        return failure(ctx);
    int numbers[] = {pid, WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status) ? WTERMSIG(status) : 0};
    JSValue all = JS_NewArray(ctx);
    for (int i = 0; i < 3; i++)
        JS_SetPropertyUint32(ctx, all, i, JS_NewInt32(ctx, numbers[i]));
    return all;
}

static NATIVE(process_kill)
{
    UNUSED(self), UNUSED(argc);
    return outcome(ctx, kill(int_of(ctx, argv[0]), int_of(ctx, argv[1])));
}

/// Both as an array, closed when another program is executed; or the failure.
static JSValue both(JSContext *ctx, int code, const int ends[2])
{
    if (code < 0)
        return failure(ctx);
    JSValue all = JS_NewArray(ctx);
    for (int i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        JS_SetPropertyUint32(ctx, all, i, JS_NewInt32(ctx, ends[i]));
    }
    return all;
}

/// [end for reading, end for writing]
static NATIVE(process_pipe)
{
    UNUSED(self), UNUSED(argc), UNUSED(argv);
    int ends[2];
    int code = pipe(ends);
    return both(ctx, code, ends);
}

/// Two sockets: what is written to one can be read from the other.
static NATIVE(process_channel)
{
    UNUSED(self), UNUSED(argc), UNUSED(argv);
    int ends[2];
    int code = socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    return both(ctx, code, ends);
}

/// (fd): children do not get it.
static NATIVE(keep_to_oneself)
{
    UNUSED(self), UNUSED(argc);
    return outcome(ctx, fcntl(int_of(ctx, argv[0]), F_SETFD, FD_CLOEXEC));
}

static NATIVE(set_nonblocking)
{
    UNUSED(self), UNUSED(argc);
    int fd = int_of(ctx, argv[0]), flags = fcntl(fd, F_GETFL);
    if (flags < 0)
        return failure(ctx);
    return outcome(ctx, fcntl(fd, F_SETFL, JS_ToBool(ctx, argv[1]) ? flags | O_NONBLOCK : flags & ~O_NONBLOCK));
}

/// ([fd, events, fd, events…], milliseconds or -1): what happened to each. Events: 1 can be read, 2 can be written; 4 is at its end.
static NATIVE(wait_for)
{
    UNUSED(self), UNUSED(argc);
    static struct pollfd *waiting;
    static int64_t room;
    int64_t count = 0;
    if (JS_GetLength(ctx, argv[0], &count) < 0)
        return JS_EXCEPTION;
    count /= 2;
    if (count > room) {
        struct pollfd *more = realloc(waiting, 2 * count * sizeof *waiting);
        if (!more)
            return errno = ENOMEM, failure(ctx);
        waiting = more;
        room = 2 * count;
    }
    for (int64_t i = 0; i < count; i++) {
        JSValue fd = JS_GetPropertyInt64(ctx, argv[0], 2 * i), events = JS_GetPropertyInt64(ctx, argv[0], 2 * i + 1);
        int wanted = int_of(ctx, events);
        waiting[i] = (struct pollfd){.fd = int_of(ctx, fd), .events = (wanted & 1 ? POLLIN : 0) | (wanted & 2 ? POLLOUT : 0)};
    }
    if (poll(waiting, count, int_of(ctx, argv[1])) < 0)
        return failure(ctx);
    JSValue all = JS_NewArray(ctx);
    for (int64_t i = 0; i < count; i++) {
        int got = waiting[i].revents;
        int told = (got & POLLIN ? 1 : 0) | (got & POLLOUT ? 2 : 0) | (got & (POLLHUP | POLLERR | POLLNVAL) ? 4 : 0);
        JS_SetPropertyUint32(ctx, all, i, JS_NewInt32(ctx, told));
    }
    return all;
}

static int told_by = -1;

/// The number goes into a pipe, which the event loop reads.
static void on_signal(int number)
{
    int before = errno;
    char byte = number;
    (void)!write(told_by, &byte, 1);
    errno = before;
}

/// (number, what): what is 0 for the default, 1 to ignore, otherwise the descriptor that is told.
static NATIVE(handle_signal)
{
    UNUSED(self), UNUSED(argc);
    int what = int_of(ctx, argv[1]);
    struct sigaction action = {.sa_handler = what == 0 ? SIG_DFL : what == 1 ? SIG_IGN : on_signal};
    if (what > 1)
        told_by = what;
    return outcome(ctx, sigaction(int_of(ctx, argv[0]), &action, NULL));
}

static const JSCFunctionListEntry LIST[] = {
    JS_CFUNC_DEF("spawn", 5, process_spawn),
    JS_CFUNC_DEF("wait", 2, process_wait),
    JS_CFUNC_DEF("kill", 2, process_kill),
    JS_CFUNC_DEF("pipe", 0, process_pipe),
    JS_CFUNC_DEF("channel", 0, process_channel),
    JS_CFUNC_DEF("closeOnExec", 1, keep_to_oneself),
    JS_CFUNC_DEF("nonblocking", 2, set_nonblocking),
    JS_CFUNC_DEF("poll", 2, wait_for),
    JS_CFUNC_DEF("signal", 2, handle_signal),
};

void processes_init(JSContext *ctx, JSValueConst native)
{
    FUNCTIONS(LIST);
}
