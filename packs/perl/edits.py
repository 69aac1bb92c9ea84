"""What is changed in perl's sources: where it forks.

A child that executes a program begins in a function of its own, by `sandshell_clone`, and does there what it would have
done. `fork` itself works where one loop runs the program's operations: all of perl's state is in memory, so that the
child begins a loop of its own with the next operation. Within a callback (of `sort`, of a tied variable, of an
overloaded operator, while modules are loaded) there is a C function to come back to, and `fork` fails with ENOSYS.
"""

from libc.sources import Edit

FORK = [
    Edit(
        "pp_sys.c",
        "PP(pp_fork)\n{\n",
        """#include <sandshell.h>

/* Goes on with the next operation. */
static int
S_go_on(void *nothing)
{
    PERL_UNUSED_ARG(nothing);
    PL_top_env = &PL_start_env;
    PL_restartop = PL_op->op_next;
    perl_run(PERL_GET_THX);
    return perl_destruct(PERL_GET_THX);
}

/* A child that sees 0 as the value of this operation. */
Pid_t
Perl_sandshell_fork(pTHX_ int (*prepare)(void *), void *argument)
{
    Pid_t pid;
    if (PL_curstackinfo->si_type != PERLSI_MAIN || PL_top_env->je_prev != &PL_start_env) {
        errno = ENOSYS;
        return -1;
    }
    return sandshell_clone(prepare ? prepare : S_go_on, argument);
}

int
Perl_sandshell_child(pTHX)
{
    dSP;
    int sig;
    PL_sig_pending = 0;
    if (PL_psig_pend)
        for (sig = 1; sig < SIG_SIZE; sig++)
            PL_psig_pend[sig] = 0;
    PL_forkprocess = 0;
    EXTEND(SP, 1);
    mPUSHi(0);
    PUTBACK;
    return S_go_on(NULL);
}

static int
S_forked(void *mask)
{
    sigprocmask(SIG_SETMASK, (sigset_t *)mask, NULL);
    return Perl_sandshell_child(aTHX);
}

PP(pp_fork)
{
""",
    ),
    Edit(
        "pp_sys.c",
        "    childpid = PerlProc_fork();\n    if (childpid == 0) {\n        int sig;\n",
        "    PUTBACK;\n    childpid = Perl_sandshell_fork(aTHX_ S_forked, &oldmask);\n    if (childpid == 0) {\n        int sig;\n",
    ),
]

SYSTEM = [
    Edit(
        "pp_sys.c",
        "PP(pp_system)\n{\n",
        """struct child {
    sigset_t *mask;
    int *pp;
    SV **mark, **sp;
    I32 did_pipes;
};

static int
S_system_child(void *data)
{
    struct child *child = (struct child *)data;
    SV **mark = child->mark, **sp = child->sp;
    int *pp = child->pp;
    const I32 did_pipes = child->did_pipes;
    sigprocmask(SIG_SETMASK, child->mask, NULL);
    if (did_pipes)
        PerlLIO_close(pp[0]);
    if (PL_op->op_flags & OPf_STACKED) {
        SV * const really = *++mark;
        do_aexec5(really, mark, sp, pp[1], did_pipes);
    }
    else if (sp - mark != 1)
        do_aexec5(NULL, mark, sp, pp[1], did_pipes);
    else
        do_exec3(SvPVx_nolen(sv_mortalcopy(*sp)), pp[1], did_pipes);
    PerlProc__exit(-1);
}

PP(pp_system)
{
""",
    ),
    Edit(
        "pp_sys.c",
        "        while ((childpid = PerlProc_fork()) == -1) {\n            if (errno != EAGAIN) {\n                value = -1;",
        """        struct child child = { &oldset, pp, MARK, SP, did_pipes };
        while ((childpid = sandshell_clone(S_system_child, &child)) == -1) {
            if (errno != EAGAIN) {
                value = -1;""",
    ),
]

POPEN = [
    Edit(
        "util.c",
        "PerlIO *\nPerl_my_popen_list(pTHX_ const char *mode, int n, SV **args)\n{\n",
        """#include <sandshell.h>

extern Pid_t Perl_sandshell_fork(pTHX_ int (*prepare)(void *), void *argument);
extern int Perl_sandshell_child(pTHX);

struct child {
    const char *mode, *cmd;
    int *p, *pp;
    int n;
    SV **args;
    I32 did_pipes;
};

static int
S_popen_child(void *data)
{
    struct child *child = (struct child *)data;
    const int *p = child->p, *pp = child->pp;
    const int to = *child->mode == 'r', keep = *child->mode == 'r';
    if (child->did_pipes)
        PerlLIO_close(pp[0]);
    if (p[keep] != to) {
        PerlLIO_dup2(p[keep], to);
        PerlLIO_close(p[keep]);
        if (p[!keep] != to)
            PerlLIO_close(p[!keep]);
    }
    else {
        setfd_cloexec_or_inhexec_by_sysfdness(p[keep]);
        PerlLIO_close(p[!keep]);
    }
    if (child->args)
        do_aexec5(NULL, child->args - 1, child->args - 1 + child->n, pp[1], child->did_pipes);
    else if (child->cmd)
        do_exec3(child->cmd, pp[1], child->did_pipes);
    else
        return Perl_sandshell_child(aTHX);
    PerlProc__exit(1);
}

PerlIO *
Perl_my_popen_list(pTHX_ const char *mode, int n, SV **args)
{
""",
    ),
    Edit(
        "util.c",
        "    if (PerlProc_pipe_cloexec(pp) >= 0)\n        did_pipes = 1;\n    while ((pid = PerlProc_fork()) < 0) {\n",
        """    if (PerlProc_pipe_cloexec(pp) >= 0)
        did_pipes = 1;
    struct child child = { mode, NULL, p, pp, n, args, did_pipes };
    while ((pid = sandshell_clone(S_popen_child, &child)) < 0) {
""",
    ),
    Edit(
        "util.c",
        "    if (doexec && PerlProc_pipe_cloexec(pp) >= 0)\n        did_pipes = 1;\n    while ((pid = PerlProc_fork()) < 0) {\n",
        """    if (doexec && PerlProc_pipe_cloexec(pp) >= 0)
        did_pipes = 1;
    struct child child = { mode, doexec ? cmd : NULL, p, pp, 0, NULL, did_pipes };
    while ((pid = doexec ? sandshell_clone(S_popen_child, &child) : Perl_sandshell_fork(aTHX_ S_popen_child, &child)) < 0) {
""",
    ),
]

#: A script that was started by its own name (`commands.c`) starts others with perl, not with itself.
NAME = [
    Edit("caretx.c", "Perl_set_caret_X(pTHX) {\n", "Perl_set_caret_X(pTHX) {\n    extern int sandshell_by_name;\n"),
    Edit(
        "caretx.c",
        "    if (len > 0 && memchr(buf, '/', len)) {\n",
        "    if (!sandshell_by_name && len > 0 && memchr(buf, '/', len)) {\n",
    ),
]

ALL = [*FORK, *SYSTEM, *POPEN, *NAME]
