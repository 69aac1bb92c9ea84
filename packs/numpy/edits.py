"""What is changed in numpy's sources."""

import re
import shutil
import sys
from decimal import Decimal, localcontext
from pathlib import Path

from libc.sources import Edit, apply

MATH = "numpy/_core/src/npymath/ieee754.c.src"
UFUNC = "numpy/_core/src/umath/ufunc_object.c"
SCALAR = "numpy/_core/src/umath/scalarmath.c.src"
MULTIARRAY = "numpy/_core/src/multiarray"
CAST = f"{MULTIARRAY}/lowlevel_strided_loops.c.src"
DOT = 'PyUFunc_GiveFloatingpointErrors("dot"'
UMATH = "numpy/_core/src/umath"

#: The sources that are added to numpy's.
SOURCES = ["status.h", "status.c", "files.c", "vectors.h", "vectors.c", "truths.c", "product.h", "product.c", "exponential.c"]

#: How one of numpy's loops begins.
LOOP = """\
NPY_NO_EXPORT void NPY_CPU_DISPATCH_CURFX(@TYPE@_@kind@)
(char **args, npy_intp const *dimensions, npy_intp const *steps, void *NPY_UNUSED({}))
{{
"""
#: Another of them.
EXPONENTIAL = """\
NPY_NO_EXPORT void NPY_CPU_DISPATCH_CURFX(TYPE_{})
(char **args, npy_intp const *dimensions, npy_intp const *steps, void *NPY_UNUSED(data))
{{
"""


def first(file, beginning, name="@TYPE@_@kind@"):
    """An edit of numpy's loops that begin so: if there is such a loop with vectors, and it can do it, it does."""
    return Edit(f"{UMATH}/{file}.dispatch.c.src", beginning,
                f"{beginning}    if (sandshell_{name}(args, dimensions, steps)) {{\n        return;\n    }}\n")


EDITS = [
    # The processor is asked for by the name of another compiler.
    Edit("numpy/_core/include/numpy/npy_cpu.h", "#elif defined(__EMSCRIPTEN__)\n", "#elif defined(__EMSCRIPTEN__) || defined(__wasm__)\n"),
    # The sandbox's descriptors are not those of the C library (`files.c`).
    Edit("numpy/_core/include/numpy/npy_3kcompat.h", "    handle = fdopen(fd2, mode);\n",
         "    extern FILE *sandshell_fdopen(int, const char *);\n    handle = sandshell_fdopen(fd2, mode);\n"),
    Edit("numpy/_core/include/numpy/npy_3kcompat.h", "    if (npy_lseek(fd, orig_pos, SEEK_SET) == -1) {\n",
         "    extern off_t sandshell_lseek(int, off_t, int);\n    if (sandshell_lseek(fd, orig_pos, SEEK_SET) == -1) {\n"),
    # In WebAssembly, a function can only be called with the parameters that it has.
    Edit(f"{MULTIARRAY}/multiarraymodule.c", '(PyCFunction)_get_castingimpl,\n        METH_VARARGS | METH_KEYWORDS,',
         "(PyCFunction)_get_castingimpl,\n        METH_VARARGS,"),
    Edit(f"{MULTIARRAY}/array_converter.c", "array_converter_get_scalar_input(PyArrayArrayConverterObject *self)",
         "array_converter_get_scalar_input(PyArrayArrayConverterObject *self, void *NPY_UNUSED(closure))"),
    Edit(f"{MULTIARRAY}/array_method.c", "boundarraymethod__supports_unaligned(PyBoundArrayMethodObject *self)",
         "boundarraymethod__supports_unaligned(PyBoundArrayMethodObject *self, void *NPY_UNUSED(closure))"),
    Edit("numpy/_core/src/umath/_scaled_float_dtype.c", "sfloat___reduce__(PyArray_SFloatDescr *self)",
         "sfloat___reduce__(PyArray_SFloatDescr *self, PyObject *NPY_UNUSED(arguments))"),
    Edit(f"{MULTIARRAY}/_multiarray_tests.c.src", "(PyCFunction)printf_float_g,\n        METH_VARARGS ,",
         "(PyCFunction)printf_float_g,\n        METH_VARARGS | METH_KEYWORDS,"),
    # Loops with vectors come first (`vectors.h`).
    Edit(f"{UMATH}/loops_utils.h.src", '#include "numpy/halffloat.h"', '#include "vectors.h"\n#include "numpy/halffloat.h"'),
    Edit(f"{UMATH}/loops_utils.h.src", "    else if (n <= PW_BLOCKSIZE) {\n        npy_intp i;\n        @type@ r[8], res;\n",
         "    else if (SANDSHELL_ADDS_@TYPE@ && n <= PW_BLOCKSIZE && stride == sizeof(@dtype@)) {\n"
         "        return sandshell_@TYPE@_sum(a, n);\n"
         "    }\n    else if (n <= PW_BLOCKSIZE) {\n        npy_intp i;\n        @type@ r[8], res;\n"),
    first("loops_arithm_fp", "    char *src0 = args[0], *src1 = args[1], *dst = args[2];\n"),
    first("loops_arithm_fp", "    char *b_src0 = args[0], *b_src1 = args[1], *b_dst = args[2];\n"),
    first("loops_comparison",
          "run_binary_simd_@kind@_@sfx@(char **args, npy_intp const *dimensions, npy_intp const *steps)\n{\n", "@sfx@_@kind@"),
    *(first(name, LOOP.format("func")) for name in ("loops_minmax", "loops_unary", "loops_unary_fp", "loops_unary_fp_le")),
    *(Edit(f"{UMATH}/loops_exponent_log.dispatch.c.src", (heading.format("@func@"), "\n}\n"),
           f"{heading.format('@func@')}    sandshell_{name}_@func@(args, dimensions, steps);\n}}\n")
      for name, heading in (("FLOAT", EXPONENTIAL.replace("TYPE", "FLOAT")), ("DOUBLE", EXPONENTIAL.replace("TYPE", "DOUBLE")))),
    Edit(f"{UMATH}/matmul.c.src", " * #IS_HALF = 0, 0, 0, 1, 0*13#\n */\n\nstatic void\n",
         " * #IS_HALF = 0, 0, 0, 1, 0*13#\n * #PRODUCT = 0, 1, 1, 0, 0*13#\n */\n\n#include \"product.h\"\nstatic void\n"),
    Edit(f"{UMATH}/matmul.c.src", "    npy_intp m, n, p;\n    npy_intp ib1_n, ib2_n, ib2_p, ob_p;\n",
         "    npy_intp m, n, p;\n    npy_intp ib1_n, ib2_n, ib2_p, ob_p;\n"
         "#if @PRODUCT@\n    if (SANDSHELL_PRODUCT_IS_WORTH(dm, dn, dp) &&\n"
         "        sandshell_@TYPE@_product(_ip1, is1_m, is1_n, _ip2, is2_n, is2_p, _op, os_m, os_p, dm, dn, dp)) {\n"
         "        return;\n    }\n"
         "    sandshell_@TYPE@_few(_ip1, is1_m, is1_n, _ip2, is2_n, is2_p, _op, os_m, os_p, dm, dn, dp);\n    return;\n#endif\n"),
    # All else is the status of floating-point arithmetic (`status.h`).
    Edit("numpy/_core/meson.build", "  'src/umath/ufunc_object.c',\n",
         "  'src/umath/ufunc_object.c',\n" + "".join(f"  'src/umath/{name}',\n" for name in SOURCES if name.endswith(".c"))),
    Edit(SCALAR, '#include "can_cast_table.h"\n', '#include "can_cast_table.h"\n#include "status.h"\n'),
    Edit(CAST, '#include "array_assign.h"\n', '#include "array_assign.h"\n#include "status.h"\n'),
    Edit(MATH, "#  include <fenv.h>\n", '#include "status.h"\n'),
    Edit(SCALAR, "    retstatus |= npy_get_floatstatus_barrier((char*)&out);\n#endif\n    if (retstatus) {\n"
         "        if (PyUFunc_GiveFloatingpointErrors(\"scalar \" OP_NAME",
         "    sandshell_look_at_scalars(OP_NAME, NPY_@NAME@, &arg1, &arg2, &out);\n"
         "#if @twoout@\n    sandshell_look_at_scalars(OP_NAME, NPY_@NAME@, &arg1, &arg2, &out2);\n#endif\n"
         "    retstatus |= npy_get_floatstatus_barrier((char*)&out);\n#endif\n    if (retstatus) {\n"
         "        if (PyUFunc_GiveFloatingpointErrors(\"scalar \" OP_NAME"),
    Edit(SCALAR, "    int retstatus = npy_get_floatstatus_barrier((char*)&out);\n",
         "    sandshell_look_at_scalars(\"divide\", NPY_DOUBLE, &arg1, &arg2, &out);\n"
         "    int retstatus = npy_get_floatstatus_barrier((char*)&out);\n"),
    Edit(SCALAR, "    retstatus |= npy_get_floatstatus_barrier((char*)&out);\n#endif\n    if (retstatus) {\n"
         "        if (PyUFunc_GiveFloatingpointErrors(\"scalar power\"",
         "    sandshell_look_at_scalars(\"power\", NPY_@NAME@, &arg1, &arg2, &out);\n"
         "    retstatus |= npy_get_floatstatus_barrier((char*)&out);\n#endif\n    if (retstatus) {\n"
         "        if (PyUFunc_GiveFloatingpointErrors(\"scalar power\""),
    Edit(CAST, "#    define _CONVERT_FN(x) ((_TYPE2)x)\n", "#    define _CONVERT_FN(x) SANDSHELL_CONVERTED(_TYPE2, x)\n"),
    Edit(CAST, "#    define _CONVERT_FN(x) ((_TYPE2)npy_half_to_float(x))\n",
         "#    define _CONVERT_FN(x) SANDSHELL_CONVERTED(_TYPE2, npy_half_to_float(x))\n"),
    Edit("numpy/_core/src/common/float_status.hpp", "#include <fenv.h>\n", '#include "status.h"\n'),
    Edit("numpy/_core/src/npymath/npy_math_internal.h.src", "        return a / b;\n    }\n    \n    div = npy_divmod@c@(a, b, &mod);\n",
         "        if (a == 0) {\n            npy_set_floatstatus_invalid();\n        }\n        else if (npy_isfinite(a)) {\n"
         "            npy_set_floatstatus_divbyzero();\n        }\n"
         "        return a / b;\n    }\n    \n    div = npy_divmod@c@(a, b, &mod);\n"),
    Edit(f"{MULTIARRAY}/multiarraymodule.c", "    int fpes = npy_get_floatstatus_barrier((char *) result);\n    if (fpes && " + DOT,
         "    extern void sandshell_look_at_product(PyArrayObject *, PyArrayObject *, PyArrayObject *);\n"
         "    sandshell_look_at_product(ap1, ap2, result);\n"
         "    int fpes = npy_get_floatstatus_barrier((char *) result);\n    if (fpes && " + DOT),
    # The C library does not set the exponent of what is not finite.
    *(Edit(f"{UMATH}/{file}", f"        *(({kind} *)op1) = {call};\n", f"        *(int *)op2 = 0;\n        *(({kind} *)op1) = {call};\n")
      for file, kind, call in (("loops.c.src", "npy_longdouble", "npy_frexpl(in1, (int *)op2)"),
                               ("loops.c.src", "npy_half", "npy_float_to_half(npy_frexpf(in1, (int *)op2))"),
                               ("loops_exponent_log.dispatch.c.src", "@type@", "npy_frexp@c@(in1, (int *)op2)"))),
]

#: Whether each call of a loop in `UFUNC` has a mask, in their order; `None`: the loop of a function with dimensions of
#: its own.
MASKS = ["0", "masked", None, "masked", "masked", "0", "0", "0", "0", "0", "0"]


def exponents():
    """A table in C: 2^(i/128), and what its rounding lost, as a part of it."""
    with localcontext() as context:
        context.prec = 60
        exact = [2 ** (Decimal(i) / 128) for i in range(128)]
        rows = [(float(value), float((value - Decimal(float(value))) / value)) for value in exact]
    lines = "".join(f"    {power.hex()}, {lost.hex()},\n" for power, lost in rows)
    return f"// 2^(i/128), and what its rounding lost, as a part of it.\nstatic const double sandshell_exponents[] = {{\n{lines}}};\n"


def edit(tree):
    """Makes all changes."""
    apply(tree, EDITS)
    for name in SOURCES:
        shutil.copy(Path(__file__).with_name(name), tree / "numpy/_core/src" / ("common" if name.endswith(".h") else "umath"))
    (tree / "numpy/_core/src/common/exponents.h").write_text(exponents())
    file, masks = tree / UFUNC, iter(MASKS)

    def looked(found):
        mask = next(masks, None)
        return found[0] if mask is None else f"= sandshell_look(strided_loop, {mask}, {found[1]},"

    text, count = re.subn(r"= strided_loop\((&?context),", looked, file.read_text())
    if count != len(MASKS):
        sys.exit(f"{file}: {count} calls of loops instead of {len(MASKS)}")
    declared = (
        "int sandshell_look(PyArrayMethod_StridedLoop *, int, PyArrayMethod_Context *, char *const *, const npy_intp *,\n"
        "                   const npy_intp *, NpyAuxData *);\n\n"
    )
    at = text.index("\nstatic int\n") + 1
    file.write_text(text[:at] + declared + text[at:])
