// The interpreter's C++ library is built without exceptions. What a module's C++ throws (memory is exhausted, for example)
// ends the program.

#include <stdlib.h>

void *__cxa_allocate_exception(size_t size) { (void)size; abort(); }
void __cxa_free_exception(void *exception) { (void)exception; abort(); }
void __cxa_throw(void *exception, void *type, void *destructor) { (void)exception, (void)type, (void)destructor; abort(); }
void __cxa_rethrow(void) { abort(); }
void *__cxa_begin_catch(void *exception) { (void)exception; abort(); }
void __cxa_end_catch(void) { abort(); }
