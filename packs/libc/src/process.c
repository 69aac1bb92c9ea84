// Processes: starting, becoming and waiting for programs.

#include "kernel.h"
#include <sandshell.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
void signals_forget(void);

// Strings as the kernel takes them: one after the other, each with its end.
static char *block(char *const list[], size_t *size)
{
    size_t total = 0;
    for (char *const *item = list; item && *item; item++)
        total += strlen(*item) + 1;
    char *text = malloc(total + 1), *end = text;
    if (!text)
        return NULL;
    for (char *const *item = list; item && *item; item++)
        end = stpcpy(end, *item) + 1;
    *size = total;
    return text;
}

// Starts a program (`pid`: where its number goes) or becomes it. An error number.
static int start(struct k_request *request, const char *path, char *const argv[], char *const env[], uint32_t *pid)
{
    int code = ENOMEM;
    char *words = block(argv, &request->argv_len);
    char *variables = block(env, &request->env_len);
    if (words && variables) {
        request->path = path;
        request->path_len = strlen(path);
        request->argv = words;
        request->env = variables;
        if (*path == 0)
            code = ENOENT;
        else
            code = pid ? k_spawn(request, pid) : k_exec(request);
    }
    free(words);
    free(variables);
    return code;
}

// As `start`; a file that is no program is a script of the shell's.
static int start_script(struct k_request *request, const char *path, char *const argv[], char *const env[], uint32_t *pid)
{
    int code = start(request, path, argv, env, pid);
    if (code != ENOEXEC)
        return code;
    size_t count = 0;
    while (argv[count])
        count++;
    const char **words = malloc((count + 3) * sizeof *words);
    if (!words)
        return ENOMEM;
    words[0] = argv[0] ? argv[0] : "sh";
    words[1] = path;
    for (size_t i = 1; i <= count; i++)
        words[i + 1] = argv[i];
    words[count + 1] = NULL;
    code = start(request, "/bin/sh", (char *const *)words, env, pid);
    free(words);
    return code;
}

typedef int starter(struct k_request *, const char *, char *const[], char *const[], uint32_t *);

// As one of the above, with the name looked for in PATH.
static int find(starter *starter, struct k_request *request, const char *name, char *const argv[], char *const env[],
                uint32_t *pid)
{
    if (strchr(name, '/') || *name == 0)
        return starter(request, name, argv, env, pid);
    const char *place = getenv("PATH");
    int denied = 0;
    if (!place)
        place = "/usr/local/bin:/bin:/usr/bin";
    for (;;) {
        size_t length = strcspn(place, ":");
        char *path = malloc(length + strlen(name) + 2);
        if (!path)
            return ENOMEM;
        sprintf(path, "%.*s%s%s", (int)length, place, length ? "/" : "", name);
        int code = starter(request, path, argv, env, pid);
        free(path);
        if (code == EACCES)
            denied = 1;
        else if (code != ENOENT && code != ENOTDIR)
            return code;
        if (place[length] == 0)
            return denied ? EACCES : ENOENT;
        place += length + 1;
    }
}

int execve(const char *path, char *const argv[], char *const env[])
{
    struct k_request request = {0};
    return done(start(&request, path, argv, env, NULL));
}

int execv(const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}

int execvpe(const char *name, char *const argv[], char *const env[])
{
    struct k_request request = {0};
    return done(find(start_script, &request, name, argv, env, NULL));
}

int execvp(const char *name, char *const argv[])
{
    return execvpe(name, argv, environ);
}

int fexecve(int fd, char *const argv[], char *const env[])
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return execve(path, argv, env);
}

// The words of a call with a list that ends with NULL.
static char **collect(const char *first, va_list list, char ***env)
{
    va_list counted;
    size_t count = 0;
    va_copy(counted, list);
    for (const char *word = first; word; word = va_arg(counted, char *))
        count++;
    va_end(counted);
    char **words = malloc((count + 1) * sizeof *words);
    if (!words)
        return NULL;
    words[0] = (char *)first;
    for (size_t i = 1; i <= count; i++)
        words[i] = va_arg(list, char *);
    if (count == 0)
        words[0] = NULL;
    if (env)
        *env = va_arg(list, char **);
    return words;
}

int execl(const char *path, const char *first, ...)
{
    va_list list;
    va_start(list, first);
    char **words = collect(first, list, NULL);
    va_end(list);
    int result = words ? execv(path, words) : -1;
    free(words);
    return result;
}

int execle(const char *path, const char *first, ...)
{
    char **env;
    va_list list;
    va_start(list, first);
    char **words = collect(first, list, &env);
    va_end(list);
    int result = words ? execve(path, words, env) : -1;
    free(words);
    return result;
}

int execlp(const char *name, const char *first, ...)
{
    va_list list;
    va_start(list, first);
    char **words = collect(first, list, NULL);
    va_end(list);
    int result = words ? execvp(name, words) : -1;
    free(words);
    return result;
}

// A copy of a process begins in a function, and `fork` would return into the middle of one: see `sandshell_clone`.
pid_t fork(void)
{
    return done(ENOSYS);
}

pid_t _Fork(void)
{
    return done(ENOSYS);
}

pid_t vfork(void)
{
    return done(ENOSYS);
}

int daemon(int keep_directory, int keep_streams)
{
    (void)keep_directory;
    (void)keep_streams;
    return done(ENOSYS);
}

struct task {
    int (*function)(void *);
    void *argument;
};

static uint32_t begin(uint32_t at)
{
    struct task *task = (struct task *)at;
    signals_forget();
    exit(task->function(task->argument));
}

pid_t sandshell_clone(int (*function)(void *), void *argument)
{
    struct task task = {function, argument};
    uint32_t pid = 0;
    int code = k_clone((uint32_t)&begin, (uint32_t)&task, 0, &pid);
    return code == 0 ? (pid_t)pid : done(code);
}

pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    struct k_waited child;
    uint32_t flags = (options & WNOHANG ? 1 : 0) | (options & WUNTRACED ? 2 : 0) | (options & WCONTINUED ? 4 : 0);
    int code;
    do {
        memset(&child, 0, sizeof child);
        code = k_wait(pid, flags, &child);
    } while (signals_again(code));
    if (code != 0)
        return done(code);
    if (child.pid == 0)
        return 0;
    if (status) {
        switch (child.kind) {
        case 0:
            *status = (child.value & 0xff) << 8;
            break;
        case 1:
            *status = child.value & 0x7f;
            break;
        case 2:
            *status = (child.value & 0xff) << 8 | 0x7f;
            break;
        default:
            *status = 0xffff;
        }
    }
    if (usage) {
        memset(usage, 0, sizeof *usage);
        usage->ru_utime = (struct timeval){.tv_sec = child.user / 1000000000, .tv_usec = child.user / 1000 % 1000000};
        usage->ru_stime = (struct timeval){.tv_sec = child.system / 1000000000, .tv_usec = child.system / 1000 % 1000000};
    }
    return child.pid;
}

pid_t waitpid(pid_t pid, int *status, int options)
{
    return wait4(pid, status, options, NULL);
}

pid_t wait(int *status)
{
    return waitpid(-1, status, 0);
}

pid_t wait3(int *status, int options, struct rusage *usage)
{
    return wait4(-1, status, options, usage);
}

int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    int status = 0;
    pid_t target = type == P_ALL ? -1 : type == P_PGID ? (id == 0 ? 0 : -(pid_t)id) : (pid_t)id;
    // The kernel has no way to look without taking.
    if (options & WNOWAIT || !(options & WEXITED))
        return done(EINVAL);
    pid_t pid = waitpid(target, &status, (options & (WNOHANG | WSTOPPED)) | (options & WCONTINUED));
    if (pid < 0)
        return -1;
    if (!info)
        return 0;
    *info = (siginfo_t){0};
    if (pid == 0)
        return 0;
    info->si_signo = SIGCHLD;
    info->si_pid = pid;
    info->si_uid = getuid();
    info->si_code = WIFEXITED(status)     ? CLD_EXITED
                    : WIFSIGNALED(status) ? CLD_KILLED
                    : WIFSTOPPED(status)  ? CLD_STOPPED
                                          : CLD_CONTINUED;
    info->si_status = WIFEXITED(status) ? WEXITSTATUS(status) : WIFSIGNALED(status) ? WTERMSIG(status) : SIGCONT;
    if (WIFSTOPPED(status))
        info->si_status = WSTOPSIG(status);
    return 0;
}

pid_t getpid(void)
{
    return k_getpid();
}

pid_t gettid(void)
{
    return k_getpid();
}

pid_t getppid(void)
{
    return k_getppid();
}

pid_t getpgid(pid_t pid)
{
    uint32_t group = 0;
    int code = k_getpgid(pid, &group);
    return code == 0 ? (pid_t)group : done(code);
}

pid_t getpgrp(void)
{
    return getpgid(0);
}

int setpgid(pid_t pid, pid_t group)
{
    return done(k_setpgid(pid, group));
}

pid_t setpgrp(void)
{
    return setpgid(0, 0);
}

pid_t setsid(void)
{
    uint32_t session = 0;
    int code = k_setsid(&session);
    return code == 0 ? (pid_t)session : done(code);
}

// --- posix_spawn ---

enum kind { OPEN, CLOSE, DUPLICATE, DIRECTORY };

struct step {
    struct step *next;
    enum kind kind;
    int fd;
    int from;
    int flags;
    mode_t mode;
    char path[];
};

int posix_spawn_file_actions_init(posix_spawn_file_actions_t *actions)
{
    actions->__actions = NULL;
    return 0;
}

int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *actions)
{
    for (struct step *step = actions->__actions, *next; step; step = next) {
        next = step->next;
        free(step);
    }
    actions->__actions = NULL;
    return 0;
}

static int add(posix_spawn_file_actions_t *actions, struct step step, const char *path)
{
    struct step *new = malloc(sizeof *new + strlen(path) + 1);
    if (!new)
        return ENOMEM;
    *new = step;
    strcpy(new->path, path);
    struct step **end = (struct step **)&actions->__actions;
    while (*end)
        end = &(*end)->next;
    *end = new;
    return 0;
}

int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *restrict actions, int fd, const char *restrict path,
                                     int flags, mode_t mode)
{
    return fd < 0 ? EBADF : add(actions, (struct step){.kind = OPEN, .fd = fd, .flags = flags, .mode = mode}, path);
}

int posix_spawn_file_actions_addclose(posix_spawn_file_actions_t *actions, int fd)
{
    return fd < 0 ? EBADF : add(actions, (struct step){.kind = CLOSE, .fd = fd}, "");
}

int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *actions, int from, int fd)
{
    return from < 0 || fd < 0 ? EBADF : add(actions, (struct step){.kind = DUPLICATE, .fd = fd, .from = from}, "");
}

int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *restrict actions, const char *restrict path)
{
    return add(actions, (struct step){.kind = DIRECTORY, .fd = -1}, path);
}

int posix_spawn_file_actions_addfchdir_np(posix_spawn_file_actions_t *actions, int fd)
{
    return fd < 0 ? EBADF : add(actions, (struct step){.kind = DIRECTORY, .fd = fd}, "");
}

int posix_spawnattr_init(posix_spawnattr_t *attributes)
{
    *attributes = (posix_spawnattr_t){0};
    return 0;
}

int posix_spawnattr_destroy(posix_spawnattr_t *attributes)
{
    (void)attributes;
    return 0;
}

int posix_spawnattr_setflags(posix_spawnattr_t *attributes, short flags)
{
    attributes->__flags = flags;
    return 0;
}

int posix_spawnattr_getflags(const posix_spawnattr_t *restrict attributes, short *restrict flags)
{
    *flags = attributes->__flags;
    return 0;
}

int posix_spawnattr_setpgroup(posix_spawnattr_t *attributes, pid_t group)
{
    attributes->__pgrp = group;
    return 0;
}

int posix_spawnattr_getpgroup(const posix_spawnattr_t *restrict attributes, pid_t *restrict group)
{
    *group = attributes->__pgrp;
    return 0;
}

int posix_spawnattr_setsigmask(posix_spawnattr_t *restrict attributes, const sigset_t *restrict set)
{
    attributes->__mask = *set;
    return 0;
}

int posix_spawnattr_getsigmask(const posix_spawnattr_t *restrict attributes, sigset_t *restrict set)
{
    *set = attributes->__mask;
    return 0;
}

int posix_spawnattr_setsigdefault(posix_spawnattr_t *restrict attributes, const sigset_t *restrict set)
{
    attributes->__def = *set;
    return 0;
}

int posix_spawnattr_getsigdefault(const posix_spawnattr_t *restrict attributes, sigset_t *restrict set)
{
    *set = attributes->__def;
    return 0;
}

// What the child's descriptors will be: (its number, the parent's or CLOSED), in no order.
#define CLOSED UINT32_MAX

struct plan {
    uint32_t (*map)[2];
    size_t count;
    // Descriptors that were opened for the child, to be closed after its start.
    int *opened;
    size_t opened_count;
    char *directory;
};

static uint32_t current(const struct plan *plan, int fd)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->map[i][0] == (uint32_t)fd)
            return plan->map[i][1];
    return fd;
}

static void place(struct plan *plan, int fd, uint32_t from)
{
    size_t i = 0;
    while (i < plan->count && plan->map[i][0] != (uint32_t)fd)
        i++;
    if (i == plan->count)
        plan->count++;
    plan->map[i][0] = fd;
    plan->map[i][1] = from;
}

static char *below(const char *directory, const char *path)
{
    char *joined = malloc((directory ? strlen(directory) : 0) + strlen(path) + 2);
    if (joined)
        sprintf(joined, "%s%s%s", directory && *path != '/' ? directory : "", directory && *path != '/' ? "/" : "", path);
    return joined;
}

static int take(struct plan *plan, const struct step *step)
{
    uint32_t known;
    switch (step->kind) {
    case CLOSE:
        place(plan, step->fd, CLOSED);
        return 0;
    case DUPLICATE: {
        uint32_t from = current(plan, step->from);
        if (from == CLOSED || k_getfd(from, &known) != 0)
            return EBADF;
        place(plan, step->fd, from);
        return 0;
    }
    case OPEN: {
        char *path = below(plan->directory, step->path);
        if (!path)
            return ENOMEM;
        int fd = open(path, step->flags | O_CLOEXEC, step->mode);
        free(path);
        if (fd < 0)
            return errno;
        plan->opened[plan->opened_count++] = fd;
        place(plan, step->fd, fd);
        return 0;
    }
    case DIRECTORY: {
        char number[32];
        snprintf(number, sizeof number, "/proc/self/fd/%d", step->fd < 0 ? 0 : (int)current(plan, step->fd));
        char *path = below(plan->directory, step->fd < 0 ? step->path : number);
        if (!path)
            return ENOMEM;
        free(plan->directory);
        plan->directory = path;
        return 0;
    }
    }
    return EINVAL;
}

// Signals that this process ignores and the child shall not.
static uint64_t spare(const sigset_t *set)
{
    uint64_t spared = 0;
    uint32_t old;
    for (int signal = 1; signal <= 64; signal++) {
        struct sigaction action;
        if (!sigismember(set, signal) || sigaction(signal, NULL, &action) != 0 || action.sa_handler != SIG_IGN)
            continue;
        k_sigaction(signal, K_IGNORE_HERE, &old);
        spared |= 1ULL << (signal - 1);
    }
    return spared;
}

static void ignore_again(uint64_t spared)
{
    uint32_t old;
    for (int signal = 1; signal <= 64; signal++)
        if (spared & 1ULL << (signal - 1))
            k_sigaction(signal, K_IGNORE, &old);
}

// As `execvp`, but that a file which is no program is an error, as with glibc.
static int start_found(struct k_request *request, const char *name, char *const argv[], char *const env[], uint32_t *pid)
{
    return find(start, request, name, argv, env, pid);
}

static int spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const argv[], char *const env[], starter *starter)
{
    struct k_request request = {0};
    struct plan plan = {0};
    uint64_t spared = 0;
    uint32_t started = 0;
    size_t steps = 0;
    int code = 0;
    int flags = attributes ? attributes->__flags : 0;
    // The kernel starts a program in its parent's session.
    if (flags & POSIX_SPAWN_SETSID)
        return ENOTSUP;
    for (const struct step *step = actions ? actions->__actions : NULL; step; step = step->next)
        steps++;
    if (steps > 0) {
        plan.map = malloc(steps * sizeof *plan.map);
        plan.opened = malloc(steps * sizeof *plan.opened);
        if (!plan.map || !plan.opened)
            code = ENOMEM;
    }
    for (const struct step *step = actions ? actions->__actions : NULL; step && code == 0; step = step->next)
        code = take(&plan, step);
    if (code == 0) {
        request.fds = (const uint32_t (*)[2])plan.map;
        request.fds_len = plan.count;
        request.cwd = plan.directory;
        request.cwd_len = plan.directory ? strlen(plan.directory) : 0;
        if (flags & POSIX_SPAWN_SETPGROUP) {
            request.flags |= K_SETPGID;
            request.pgid = attributes->__pgrp;
        }
        if (flags & POSIX_SPAWN_SETSIGDEF)
            spared = spare(&attributes->__def);
        // A relative path is looked for in the child's directory.
        char *found = plan.directory && strchr(path, '/') ? below(plan.directory, path) : NULL;
        code = starter(&request, found ? found : path, argv, env, &started);
        free(found);
        ignore_again(spared);
    }
    for (size_t i = 0; i < plan.opened_count; i++)
        (void)__wasi_fd_close(plan.opened[i]);
    free(plan.map);
    free(plan.opened);
    free(plan.directory);
    if (code == 0 && pid)
        *pid = started;
    return code;
}

int posix_spawn(pid_t *restrict pid, const char *restrict path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *restrict attributes, char *const *restrict argv, char *const *restrict env)
{
    return spawn(pid, path, actions, attributes, argv, env, start);
}

int posix_spawnp(pid_t *restrict pid, const char *restrict name, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *restrict attributes, char *const *restrict argv, char *const *restrict env)
{
    return spawn(pid, name, actions, attributes, argv, env, start_found);
}
