//! What make knows without being told.

use crate::session::Make;
use crate::vars::Origin;

/// Known suffixes.
pub(crate) const SUFFIXES: &str = ".out .a .ln .o .c .cc .C .cpp .p .f .F .m .r .y .l .ym .yl .s .S .mod .sym .def .h \
    .info .dvi .tex .texinfo .texi .txinfo .w .ch .web .sh .elc .el";

/// Suffix of the target, suffix of the prerequisite, recipe.
pub(crate) const RULES: &[(&str, &str, &[&str])] = &[
    ("", ".o", &["$(LINK.o) $^ $(LOADLIBES) $(LDLIBS) -o $@"]),
    ("", ".c", &["$(LINK.c) $^ $(LOADLIBES) $(LDLIBS) -o $@"]),
    ("", ".cc", &["$(LINK.cc) $^ $(LOADLIBES) $(LDLIBS) -o $@"]),
    ("", ".C", &["$(LINK.C) $^ $(LOADLIBES) $(LDLIBS) -o $@"]),
    ("", ".cpp", &["$(LINK.cpp) $^ $(LOADLIBES) $(LDLIBS) -o $@"]),
    ("", ".p", &["$(LINK.p) $^ $(LOADLIBES) $(LDLIBS) -o $@"]),
    ("", ".f", &["$(LINK.f) $^ $(LOADLIBES) $(LDLIBS) -o $@"]),
    ("", ".F", &["$(LINK.F) $^ $(LOADLIBES) $(LDLIBS) -o $@"]),
    ("", ".s", &["$(LINK.s) $^ $(LOADLIBES) $(LDLIBS) -o $@"]),
    ("", ".S", &["$(LINK.S) $^ $(LOADLIBES) $(LDLIBS) -o $@"]),
    ("", ".sh", &["cat $< >$@ ", " chmod a+x $@"]),
    (".o", ".c", &["$(COMPILE.c) $(OUTPUT_OPTION) $<"]),
    (".o", ".cc", &["$(COMPILE.cc) $(OUTPUT_OPTION) $<"]),
    (".o", ".C", &["$(COMPILE.C) $(OUTPUT_OPTION) $<"]),
    (".o", ".cpp", &["$(COMPILE.cpp) $(OUTPUT_OPTION) $<"]),
    (".o", ".p", &["$(COMPILE.p) $(OUTPUT_OPTION) $<"]),
    (".o", ".f", &["$(COMPILE.f) $(OUTPUT_OPTION) $<"]),
    (".o", ".F", &["$(COMPILE.F) $(OUTPUT_OPTION) $<"]),
    (".o", ".m", &["$(COMPILE.m) $(OUTPUT_OPTION) $<"]),
    (".o", ".s", &["$(COMPILE.s) -o $@ $<"]),
    (".o", ".S", &["$(COMPILE.S) -o $@ $<"]),
    (".s", ".S", &["$(PREPROCESS.S) $< > $@"]),
    (".f", ".F", &["$(PREPROCESS.F) $(OUTPUT_OPTION) $<"]),
    (".c", ".y", &["$(YACC.y) $< ", " mv -f y.tab.c $@"]),
    (".c", ".l", &["@$(RM) $@ ", " $(LEX.l) $< > $@"]),
    (".tex", ".texinfo", &["$(MAKEINFO) $(MAKEINFO_FLAGS) $< -o $@"]),
    (".dvi", ".tex", &["$(TEX) $<"]),
    (".dvi", ".texinfo", &["$(TEXI2DVI) $(TEXI2DVI_FLAGS) $<"]),
    (".info", ".texi", &["$(MAKEINFO) $(MAKEINFO_FLAGS) $< -o $@"]),
];

const VARIABLES: &[(&str, &str)] = &[
    ("AR", "ar"),
    ("ARFLAGS", "rv"),
    ("AS", "as"),
    ("CC", "cc"),
    ("CXX", "g++"),
    ("CO", "co"),
    ("COFLAGS", ""),
    ("CPP", "$(CC) -E"),
    ("CTANGLE", "ctangle"),
    ("CWEAVE", "cweave"),
    ("FC", "f77"),
    ("F77", "$(FC)"),
    ("F77FLAGS", "$(FFLAGS)"),
    ("GET", "get"),
    ("LD", "ld"),
    ("LEX", "lex"),
    ("LINT", "lint"),
    ("M2C", "m2c"),
    ("MAKEINFO", "makeinfo"),
    ("OBJC", "cc"),
    ("PC", "pc"),
    ("RM", "rm -f"),
    ("TANGLE", "tangle"),
    ("TEX", "tex"),
    ("TEXI2DVI", "texi2dvi"),
    ("WEAVE", "weave"),
    ("YACC", "yacc"),
    ("OUTPUT_OPTION", "-o $@"),
    ("COMPILE.c", "$(CC) $(CFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"),
    ("LINK.c", "$(CC) $(CFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"),
    ("COMPILE.m", "$(OBJC) $(OBJCFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"),
    ("LINK.m", "$(OBJC) $(OBJCFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"),
    ("COMPILE.cc", "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"),
    ("COMPILE.C", "$(COMPILE.cc)"),
    ("COMPILE.cpp", "$(COMPILE.cc)"),
    ("LINK.cc", "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"),
    ("LINK.C", "$(LINK.cc)"),
    ("LINK.cpp", "$(LINK.cc)"),
    ("YACC.y", "$(YACC) $(YFLAGS)"),
    ("LEX.l", "$(LEX) $(LFLAGS) -t"),
    ("COMPILE.f", "$(FC) $(FFLAGS) $(TARGET_ARCH) -c"),
    ("LINK.f", "$(FC) $(FFLAGS) $(LDFLAGS) $(TARGET_ARCH)"),
    ("COMPILE.F", "$(FC) $(FFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"),
    ("LINK.F", "$(FC) $(FFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"),
    ("COMPILE.p", "$(PC) $(PFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"),
    ("LINK.p", "$(PC) $(PFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"),
    ("LINK.s", "$(CC) $(ASFLAGS) $(LDFLAGS) $(TARGET_MACH)"),
    ("COMPILE.s", "$(AS) $(ASFLAGS) $(TARGET_MACH)"),
    ("LINK.S", "$(CC) $(ASFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_MACH)"),
    ("COMPILE.S", "$(CC) $(ASFLAGS) $(CPPFLAGS) $(TARGET_MACH) -c"),
    ("PREPROCESS.S", "$(CC) -E $(CPPFLAGS)"),
    ("PREPROCESS.F", "$(FC) $(FFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -F"),
    ("LINK.o", "$(CC) $(LDFLAGS) $(TARGET_ARCH)"),
];

const FEATURES: &str = "target-specific order-only second-expansion else-if shortest-stem undefine oneshell \
    grouped-target check-symlink";

impl Make {
    /// Defines the variables that are there before a makefile is read.
    pub(crate) fn define_builtin(&mut self) {
        if !self.o.no_variables {
            for (name, value) in VARIABLES {
                self.set_global(name.as_bytes(), value.as_bytes(), Origin::Default, true);
            }
        }
        for name in ["@", "*", "<", "^", "+", "?", "|", "%"] {
            let dir = format!("$(patsubst %/,%,$(dir ${name}))");
            let file = format!("$(notdir ${name})");
            self.set_global(format!("{name}D").as_bytes(), dir.as_bytes(), Origin::Automatic, true);
            self.set_global(format!("{name}F").as_bytes(), file.as_bytes(), Origin::Automatic, true);
        }
        self.set_global(b"SHELL", b"/bin/sh", Origin::File, false);
        for (name, value) in [
            (".SHELLFLAGS", "-c"),
            ("MAKE_VERSION", "4.3"),
            ("MAKE_HOST", "x86_64-pc-linux-gnu"),
            (".FEATURES", FEATURES),
            (".INCLUDE_DIRS", "/usr/local/include /usr/include"),
            (".LIBPATTERNS", "lib%.so lib%.a"),
            (".RECIPEPREFIX", ""),
            ("MAKEFILES", ""),
        ] {
            self.set_global(name.as_bytes(), value.as_bytes(), Origin::Default, false);
        }
    }
}
