// C's files over the sandbox's descriptors. The C library of the interpreter's program does not know these: the interpreter's functions
// do, so reads and writes go through them. An exception that is there meanwhile stays.

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct file {
    PyObject *os;
    int descriptor;
};

// The number that a call answered, or -1 with an error number. The call leaves no exception: the callers of C's functions look at those.
static long long number(PyObject *answer)
{
    long long result = answer == NULL ? -1 : PyLong_AsLongLong(answer);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        errno = EIO;
        result = -1;
    }
    Py_XDECREF(answer);
    return result;
}

static ssize_t read_file(void *cookie, char *buffer, size_t size)
{
    struct file *file = cookie;
    PyObject *raised = PyErr_GetRaisedException();
    PyObject *data = PyObject_CallMethod(file->os, "read", "in", file->descriptor, (Py_ssize_t)size);
    char *bytes = NULL;
    Py_ssize_t length = -1;
    if (data == NULL || PyBytes_AsStringAndSize(data, &bytes, &length) < 0 || (size_t)length > size) {
        PyErr_Clear();
        errno = EIO;
        length = -1;
    } else {
        memcpy(buffer, bytes, length);
    }
    Py_XDECREF(data);
    PyErr_SetRaisedException(raised);
    return length;
}

static ssize_t write_file(void *cookie, const char *buffer, size_t size)
{
    struct file *file = cookie;
    PyObject *raised = PyErr_GetRaisedException();
    ssize_t result = number(PyObject_CallMethod(file->os, "write", "iy#", file->descriptor, buffer, (Py_ssize_t)size));
    PyErr_SetRaisedException(raised);
    return result;
}

static int seek_file(void *cookie, off_t *offset, int whence)
{
    struct file *file = cookie;
    PyObject *raised = PyErr_GetRaisedException();
    *offset = number(PyObject_CallMethod(file->os, "lseek", "iLi", file->descriptor, (long long)*offset, whence));
    PyErr_SetRaisedException(raised);
    return *offset < 0 ? -1 : 0;
}

static int close_file(void *cookie)
{
    struct file *file = cookie;
    PyObject *raised = PyErr_GetRaisedException();
    PyObject *answer = PyObject_CallMethod(file->os, "close", "i", file->descriptor);
    int result = answer == NULL ? -1 : 0;
    PyErr_Clear();
    Py_XDECREF(answer);
    PyErr_SetRaisedException(raised);
    Py_DECREF(file->os);
    free(file);
    return result;
}

// As fdopen(3).
__attribute__((visibility("default"))) FILE *sandshell_fdopen(int descriptor, const char *mode)
{
    struct file *file = malloc(sizeof *file);
    PyObject *os = PyImport_ImportModule("os");
    if (file == NULL || os == NULL) {
        PyErr_Clear();
        Py_XDECREF(os);
        free(file);
        return NULL;
    }
    *file = (struct file){os, descriptor};
    FILE *opened = fopencookie(file, mode, (cookie_io_functions_t){read_file, write_file, seek_file, close_file});
    if (opened == NULL) {
        Py_DECREF(os);
        free(file);
    }
    return opened;
}

// As lseek(2).
__attribute__((visibility("default"))) off_t sandshell_lseek(int descriptor, off_t offset, int whence)
{
    PyObject *os = PyImport_ImportModule("os");
    if (os == NULL) {
        PyErr_Clear();
        return -1;
    }
    off_t result = number(PyObject_CallMethod(os, "lseek", "iLi", descriptor, (long long)offset, whence));
    Py_DECREF(os);
    return result;
}
