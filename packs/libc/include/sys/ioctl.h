#ifndef SANDSHELL_SYS_IOCTL_H
#define SANDSHELL_SYS_IOCTL_H

#include_next <sys/ioctl.h>

#define __NEED_struct_winsize
#include <bits/alltypes.h>

#define TIOCGPGRP 0x540f
#define TIOCSPGRP 0x5410
#define TIOCGWINSZ 0x5413
#define FIOCLEX 0x5451
#define FIONCLEX 0x5450

#endif
