#ifndef SANDSHELL_SYS_SELECT_H
#define SANDSHELL_SYS_SELECT_H

#include <sandshell/base.h>
#include_next <sys/select.h>

#endif
