// The words for errors.

#include "check.h"
#include <dirent.h>

int main(void)
{
    static const int errors[] = {
        0, EACCES, EAGAIN, EBADF, EBUSY, ECHILD, EDOM, EEXIST, EFAULT, EFBIG, EILSEQ, EINTR, EINVAL, EIO, EISDIR, ELOOP, EMFILE, EMLINK,
        ENAMETOOLONG, ENFILE, ENODEV, ENOENT, ENOEXEC, ENOLCK, ENOMEM, ENOSPC, ENOSYS, ENOTDIR, ENOTEMPTY, ENOTSUP, ENOTTY, ENXIO,
        EPERM, EPIPE, ERANGE, EROFS, ESPIPE, ESRCH, ESTALE, ETIMEDOUT, ETXTBSY, EXDEV, ECONNREFUSED, EAFNOSUPPORT, EDEADLK, 99999, -1,
    };
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        printf("%s\n", strerror(errors[i]));
    errno = ENOTTY;
    fflush(stdout);
    perror("case");
    return 0;
}
