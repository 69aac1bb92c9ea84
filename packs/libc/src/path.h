// The rule of the *at functions for paths: an empty one names nothing.
#ifndef PATH_H
#define PATH_H

#include "kernel.h"

#define CHECK(path)                                                                                                    \
    do                                                                                                                 \
        if (*(path) == 0)                                                                                              \
            return done(ENOENT);                                                                                       \
    while (0)

#endif
