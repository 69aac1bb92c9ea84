// In the place of wasi-libc's, whose clocks are addresses.
#ifndef __wasilibc___typedef_clockid_t_h
#define __wasilibc___typedef_clockid_t_h

typedef int clockid_t;

#endif
