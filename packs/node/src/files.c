// Files and directories. Each function does one call and gives its result, or a negative number if it failed.

#include "node.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

/// The name in argument `i`, for the time of one call.
#define WITH_PATH(path, i, result) \
    const char *path = JS_ToCString(ctx, argv[i]); \
    if (!path) \
        return JS_EXCEPTION; \
    JSValue done = result; \
    JS_FreeCString(ctx, path); \
    return done;

#define WITH_PATHS(result) \
    const char *one = JS_ToCString(ctx, argv[0]), *two = one ? JS_ToCString(ctx, argv[1]) : NULL; \
    JSValue done = two ? result : JS_EXCEPTION; \
    if (two) \
        JS_FreeCString(ctx, two); \
    if (one) \
        JS_FreeCString(ctx, one); \
    return done;

static JSValue number(JSContext *ctx, int64_t result)
{
    return result < 0 ? failure(ctx) : JS_NewInt64(ctx, result);
}

/// Flags of open as Linux counts them, which is what programs see in `fs.constants`.
static int open_flags(int given)
{
    static const struct { int theirs, ours; } FLAGS[] = {
        {0100, O_CREAT}, {0200, O_EXCL}, {0400, O_NOCTTY}, {01000, O_TRUNC}, {02000, O_APPEND}, {04000, O_NONBLOCK},
        {010000, O_DSYNC}, {0200000, O_DIRECTORY}, {0400000, O_NOFOLLOW}, {04010000, O_SYNC},
    };
    int flags = (given & 3) == 0 ? O_RDONLY : (given & 3) == 1 ? O_WRONLY : O_RDWR;
    for (size_t i = 0; i < sizeof FLAGS / sizeof *FLAGS; i++)
        if ((given & FLAGS[i].theirs) == FLAGS[i].theirs)
            flags |= FLAGS[i].ours;
    return flags | O_CLOEXEC;
}

static NATIVE(file_open)
{
    UNUSED(self), UNUSED(argc);
    int flags = open_flags(int_of(ctx, argv[1])), mode = int_of(ctx, argv[2]);
    WITH_PATH(path, 0, number(ctx, open(path, flags, mode)))
}

static NATIVE(file_close)
{
    UNUSED(self), UNUSED(argc);
    return outcome(ctx, close(int_of(ctx, argv[0])));
}

/// (fd, bytes, offset, length, position or -1)
static NATIVE(file_read)
{
    UNUSED(self), UNUSED(argc);
    size_t size;
    uint8_t *data = bytes_of(ctx, argv[1], &size);
    if (!data)
        return JS_EXCEPTION;
    int64_t offset = long_of(ctx, argv[2]), length = long_of(ctx, argv[3]), position = long_of(ctx, argv[4]);
    if (offset < 0 || length < 0 || (uint64_t)offset > size || (uint64_t)length > size - (uint64_t)offset)
        return JS_ThrowRangeError(ctx, "outside of the buffer");
    int fd = int_of(ctx, argv[0]);
    return number(ctx, position < 0 ? read(fd, data + offset, length) : pread(fd, data + offset, length, position));
}

static NATIVE(file_write)
{
    UNUSED(self), UNUSED(argc);
    size_t size;
    uint8_t *data = bytes_of(ctx, argv[1], &size);
    if (!data)
        return JS_EXCEPTION;
    int64_t offset = long_of(ctx, argv[2]), length = long_of(ctx, argv[3]), position = long_of(ctx, argv[4]);
    if (offset < 0 || length < 0 || (uint64_t)offset > size || (uint64_t)length > size - (uint64_t)offset)
        return JS_ThrowRangeError(ctx, "outside of the buffer");
    int fd = int_of(ctx, argv[0]);
    return number(ctx, position < 0 ? write(fd, data + offset, length) : pwrite(fd, data + offset, length, position));
}

/// Writes text as UTF-8 and waits until all of it is written.
static NATIVE(file_print)
{
    UNUSED(self), UNUSED(argc);
    size_t size;
    int fd = int_of(ctx, argv[0]);
    const char *text = JS_ToCStringLen(ctx, &size, argv[1]);
    if (!text)
        return JS_EXCEPTION;
    JSValue done = JS_NewInt32(ctx, 0);
    for (size_t at = 0; at < size;) {
        ssize_t written = write(fd, text + at, size - at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            done = failure(ctx);
            break;
        }
        at += written;
    }
    JS_FreeCString(ctx, text);
    return done;
}

/// All of a file from where it stands, as an ArrayBuffer.
static NATIVE(file_read_all)
{
    UNUSED(self), UNUSED(argc);
    int fd = int_of(ctx, argv[0]);
    struct stat about;
    if (fstat(fd, &about) < 0)
        return failure(ctx);
    if (S_ISDIR(about.st_mode))
        return errno = EISDIR, failure(ctx);
    size_t room = S_ISREG(about.st_mode) && about.st_size > 0 ? (size_t)about.st_size + 1 : 65536, size = 0;
    uint8_t *data = malloc(room);
    for (;;) {
        if (!data)
            return JS_ThrowOutOfMemory(ctx);
        ssize_t got = read(fd, data + size, room - size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            JSValue why = failure(ctx);
            free(data);
            return why;
        }
        if (got == 0)
            return own_bytes(ctx, data, size);
        size += got;
        if (size == room) {
            uint8_t *more = room > SIZE_MAX / 4 ? NULL : realloc(data, room *= 2);
            if (!more)
                free(data);
            data = more;
        }
    }
}

static JSValue stat_numbers(JSContext *ctx, const struct stat *about)
{
    double all[] = {
        about->st_dev, about->st_mode, about->st_nlink, about->st_uid, about->st_gid, about->st_rdev, about->st_blksize, about->st_ino,
        about->st_size, about->st_blocks, about->st_atim.tv_sec, about->st_atim.tv_nsec, about->st_mtim.tv_sec, about->st_mtim.tv_nsec,
        about->st_ctim.tv_sec, about->st_ctim.tv_nsec,
    };
    JSValue list = JS_NewArray(ctx);
    for (uint32_t i = 0; i < sizeof all / sizeof *all; i++)
        JS_SetPropertyUint32(ctx, list, i, JS_NewNumber(ctx, all[i]));
    return list;
}

static JSValue stat_of(JSContext *ctx, const char *path, int (*call)(const char *, struct stat *))
{
    struct stat about = {0};
    return call(path, &about) < 0 ? failure(ctx) : stat_numbers(ctx, &about);
}

static NATIVE(file_stat)
{
    UNUSED(self), UNUSED(argc);
    WITH_PATH(path, 0, stat_of(ctx, path, stat))
}

static NATIVE(file_lstat)
{
    UNUSED(self), UNUSED(argc);
    WITH_PATH(path, 0, stat_of(ctx, path, lstat))
}

static NATIVE(file_fstat)
{
    UNUSED(self), UNUSED(argc);
    struct stat about = {0};
    return fstat(int_of(ctx, argv[0]), &about) < 0 ? failure(ctx) : stat_numbers(ctx, &about);
}

/// What a path is: 0 a file, 1 a directory, -1 nothing or something else. The question that resolving modules asks most.
static NATIVE(file_kind)
{
    UNUSED(self), UNUSED(argc);
    struct stat about;
    const char *path = JS_ToCString(ctx, argv[0]);
    if (!path)
        return JS_EXCEPTION;
    int found = stat(path, &about);
    JS_FreeCString(ctx, path);
    return JS_NewInt32(ctx, found < 0 ? -1 : S_ISDIR(about.st_mode) ? 1 : 0);
}

static NATIVE(file_access)
{
    UNUSED(self), UNUSED(argc);
    int mode = int_of(ctx, argv[1]);
    WITH_PATH(path, 0, outcome(ctx, access(path, (mode & 4 ? R_OK : 0) | (mode & 2 ? W_OK : 0) | (mode & 1 ? X_OK : 0))))
}

static int type_of(const struct dirent *entry)
{
    switch (entry->d_type) {
    case DT_REG:
        return 1;
    case DT_DIR:
        return 2;
    case DT_LNK:
        return 3;
    case DT_FIFO:
        return 4;
    case DT_CHR:
        return 6;
    case DT_BLK:
        return 7;
    default:
        return 0;
    }
}

static JSValue list(JSContext *ctx, const char *path)
{
    DIR *folder = opendir(path);
    if (!folder)
        return failure(ctx);
    JSValue all = JS_NewArray(ctx);
    uint32_t count = 0;
    struct dirent *entry;
    while (errno = 0, entry = readdir(folder)) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        JS_SetPropertyUint32(ctx, all, count++, utf8_text(ctx, (uint8_t *)entry->d_name, strlen(entry->d_name)));
        JS_SetPropertyUint32(ctx, all, count++, JS_NewInt32(ctx, type_of(entry)));
    }
    if (errno) {
        JS_FreeValue(ctx, all);
        all = failure(ctx);
    }
    closedir(folder);
    return all;
}

/// Names and their types, by turns.
static NATIVE(directory_list)
{
    UNUSED(self), UNUSED(argc);
    WITH_PATH(path, 0, list(ctx, path))
}

static JSValue link_target(JSContext *ctx, const char *path)
{
    char target[4097];
    ssize_t size = readlink(path, target, sizeof target);
    return size < 0 ? failure(ctx) : utf8_text(ctx, (uint8_t *)target, size);
}

static NATIVE(file_readlink)
{
    UNUSED(self), UNUSED(argc);
    WITH_PATH(path, 0, link_target(ctx, path))
}

static JSValue real_path(JSContext *ctx, const char *path)
{
    char *real = realpath(path, NULL);
    if (!real)
        return failure(ctx);
    JSValue text = utf8_text(ctx, (uint8_t *)real, strlen(real));
    free(real);
    return text;
}

static NATIVE(file_realpath)
{
    UNUSED(self), UNUSED(argc);
    WITH_PATH(path, 0, real_path(ctx, path))
}

static NATIVE(file_mkdir)
{
    UNUSED(self), UNUSED(argc);
    int mode = int_of(ctx, argv[1]);
    WITH_PATH(path, 0, outcome(ctx, mkdir(path, mode)))
}

static NATIVE(file_rmdir)
{
    UNUSED(self), UNUSED(argc);
    WITH_PATH(path, 0, outcome(ctx, rmdir(path)))
}

static NATIVE(file_unlink)
{
    UNUSED(self), UNUSED(argc);
    WITH_PATH(path, 0, outcome(ctx, unlink(path)))
}

static NATIVE(file_rename)
{
    UNUSED(self), UNUSED(argc);
    WITH_PATHS(outcome(ctx, rename(one, two)))
}

static NATIVE(file_link)
{
    UNUSED(self), UNUSED(argc);
    WITH_PATHS(outcome(ctx, link(one, two)))
}

static NATIVE(file_symlink)
{
    UNUSED(self), UNUSED(argc);
    WITH_PATHS(outcome(ctx, symlink(one, two)))
}

static NATIVE(file_chmod)
{
    UNUSED(self), UNUSED(argc);
    int mode = int_of(ctx, argv[1]);
    WITH_PATH(path, 0, outcome(ctx, chmod(path, mode)))
}

static NATIVE(file_fchmod)
{
    UNUSED(self), UNUSED(argc);
    return outcome(ctx, fchmod(int_of(ctx, argv[0]), int_of(ctx, argv[1])));
}

/// (path, user, group, whether a link itself is meant)
static NATIVE(file_chown)
{
    UNUSED(self), UNUSED(argc);
    int user = int_of(ctx, argv[1]), group = int_of(ctx, argv[2]), itself = JS_ToBool(ctx, argv[3]);
    WITH_PATH(path, 0, outcome(ctx, itself ? lchown(path, user, group) : chown(path, user, group)))
}

static struct timespec moment(double seconds)
{
    int64_t whole = (int64_t)__builtin_floor(seconds);
    return (struct timespec){.tv_sec = whole, .tv_nsec = (long)((seconds - whole) * 1e9)};
}

/// (path or fd, seconds of access, seconds of change, whether a link itself is meant)
static NATIVE(file_times)
{
    UNUSED(self), UNUSED(argc);
    struct timespec times[] = {moment(double_of(ctx, argv[1])), moment(double_of(ctx, argv[2]))};
    int flags = JS_ToBool(ctx, argv[3]) ? AT_SYMLINK_NOFOLLOW : 0;
    if (JS_IsNumber(argv[0]))
        return outcome(ctx, futimens(int_of(ctx, argv[0]), times));
    WITH_PATH(path, 0, outcome(ctx, utimensat(AT_FDCWD, path, times, flags)))
}

static NATIVE(file_truncate)
{
    UNUSED(self), UNUSED(argc);
    return outcome(ctx, ftruncate(int_of(ctx, argv[0]), long_of(ctx, argv[1])));
}

static NATIVE(file_sync)
{
    UNUSED(self), UNUSED(argc);
    return outcome(ctx, fsync(int_of(ctx, argv[0])));
}

static JSValue temporary(JSContext *ctx, const char *prefix)
{
    char name[4097];
    if ((size_t)snprintf(name, sizeof name, "%sXXXXXX", prefix) >= sizeof name)
        return errno = ENAMETOOLONG, failure(ctx);
    return mkdtemp(name) ? utf8_text(ctx, (uint8_t *)name, strlen(name)) : failure(ctx);
}

static NATIVE(file_mkdtemp)
{
    UNUSED(self), UNUSED(argc);
    WITH_PATH(path, 0, temporary(ctx, path))
}

static const JSCFunctionListEntry LIST[] = {
    JS_CFUNC_DEF("open", 3, file_open),
    JS_CFUNC_DEF("close", 1, file_close),
    JS_CFUNC_DEF("read", 5, file_read),
    JS_CFUNC_DEF("write", 5, file_write),
    JS_CFUNC_DEF("print", 2, file_print),
    JS_CFUNC_DEF("readAll", 1, file_read_all),
    JS_CFUNC_DEF("stat", 1, file_stat),
    JS_CFUNC_DEF("lstat", 1, file_lstat),
    JS_CFUNC_DEF("fstat", 1, file_fstat),
    JS_CFUNC_DEF("kind", 1, file_kind),
    JS_CFUNC_DEF("access", 2, file_access),
    JS_CFUNC_DEF("list", 1, directory_list),
    JS_CFUNC_DEF("readlink", 1, file_readlink),
    JS_CFUNC_DEF("realpath", 1, file_realpath),
    JS_CFUNC_DEF("mkdir", 2, file_mkdir),
    JS_CFUNC_DEF("rmdir", 1, file_rmdir),
    JS_CFUNC_DEF("unlink", 1, file_unlink),
    JS_CFUNC_DEF("rename", 2, file_rename),
    JS_CFUNC_DEF("link", 2, file_link),
    JS_CFUNC_DEF("symlink", 2, file_symlink),
    JS_CFUNC_DEF("chmod", 2, file_chmod),
    JS_CFUNC_DEF("fchmod", 2, file_fchmod),
    JS_CFUNC_DEF("chown", 4, file_chown),
    JS_CFUNC_DEF("times", 4, file_times),
    JS_CFUNC_DEF("ftruncate", 2, file_truncate),
    JS_CFUNC_DEF("fsync", 1, file_sync),
    JS_CFUNC_DEF("mkdtemp", 1, file_mkdtemp),
};

void files_init(JSContext *ctx, JSValueConst native)
{
    FUNCTIONS(LIST);
}
