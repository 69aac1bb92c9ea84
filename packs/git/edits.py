"""What is changed in git's sources: the four places where it forks, and what would tell that it is not Debian's.

A child that executes a program is started by `posix_spawn`, with the same steps that git's child would take. A child
that goes on with git's own code begins in a function of its own, by `sandshell_clone`.
"""

from libc.sources import Edit, between

#: `child_dup2` and `child_close` are what git's child does with its descriptors. They note it for `posix_spawn`
#: instead.
ACTIONS = [
    Edit(
        "run-command.c",
        "static int child_notifier = -1;\n",
        "#include <sandshell.h>\n#include <spawn.h>\n\nstatic posix_spawn_file_actions_t child_actions;\n",
    ),
    Edit(
        "run-command.c",
        "	if (dup2(fd, to) < 0)\n		child_die(CHILD_ERR_DUP2);\n",
        "	if (posix_spawn_file_actions_adddup2(&child_actions, fd, to))\n		die_errno(\"posix_spawn\");\n",
    ),
    Edit(
        "run-command.c",
        "	if (close(fd))\n		child_die(CHILD_ERR_CLOSE);\n",
        "	if (posix_spawn_file_actions_addclose(&child_actions, fd))\n		die_errno(\"posix_spawn\");\n",
    ),
    # Nothing that the child could say: it is another program from its start.
    between("run-command.c", "static void child_die(enum", "\n}\n\n", ""),
    between("run-command.c", "static void child_error_fn(", "	_exit(2);\n}\n\n", ""),
    between("run-command.c", "struct atfork_state {", "#endif\n}\n#endif /* GIT", "#endif /* GIT"),
]

START_COMMAND = [
    Edit("run-command.c", "	int notify_pipe[2];\n	int null_fd", "	int null_fd"),
    Edit("run-command.c", "	struct atfork_state as;\n\n	if (prepare_cmd", "	if (prepare_cmd"),
    Edit("run-command.c", "	if (pipe(notify_pipe))\n		notify_pipe[0] = notify_pipe[1] = -1;\n\n", ""),
    between(
        "run-command.c",
        "	atfork_prepare(&as);\n",
        "		child_notifier = notify_pipe[1];\n",
        "	posix_spawn_file_actions_init(&child_actions);\n	{\n",
    ),
    between(
        "run-command.c",
        "		if (cmd->dir && chdir(cmd->dir))\n",
        "	if (cmd->pid < 0)\n		error_errno(\"cannot fork() for %s\", cmd->args.v[0]);\n	else if",
        """	}
	if (cmd->dir)
		posix_spawn_file_actions_addchdir_np(&child_actions, cmd->dir);
	cmd->pid = -1;
	cerr.syserr = posix_spawn(&cmd->pid, argv.v[1], &child_actions, NULL,
				  (char *const *) argv.v + 1, childenv);
	if (cerr.syserr == ENOEXEC)
		cerr.syserr = posix_spawn(&cmd->pid, argv.v[0], &child_actions,
					  NULL, (char *const *) argv.v, childenv);
	posix_spawn_file_actions_destroy(&child_actions);
	if (cerr.syserr) {
		if (cmd->dir && access(cmd->dir, X_OK))
			cerr.err = CHILD_ERR_CHDIR;
		else if (cerr.syserr != ENOENT)
			cerr.err = CHILD_ERR_ERRNO;
		else
			cerr.err = cmd->silent_exec_failure ?
				CHILD_ERR_SILENT : CHILD_ERR_ENOENT;
		child_err_spew(cmd, &cerr);
		failed_errno = cerr.syserr;
	} else if""",
    ),
    # The pipe through which the child would tell why it cannot execute the program.
    between(
        "run-command.c",
        "	/*\n	 * Wait for child's exec.",
        "	close(notify_pipe[0]);\n\n	if (null_fd",
        "	if (null_fd",
    ),
]

START_ASYNC = [
    Edit(
        "run-command.c",
        "int start_async(struct async *async)\n",
        """struct async_child {
	struct async *async;
	int proc_in, proc_out, other_in, other_out;
};

static int async_child(void *data)
{
	struct async_child *child = data;

	if (child->other_in >= 0)
		close(child->other_in);
	if (child->other_out >= 0)
		close(child->other_out);
	git_atexit_clear();
	process_is_async = 1;
	return !!child->async->proc(child->proc_in, child->proc_out,
				    child->async->data);
}

int start_async(struct async *async)
""",
    ),
    between(
        "run-command.c",
        "	async->pid = fork();\n",
        "		exit(!!async->proc(proc_in, proc_out, async->data));\n	}\n",
        """	{
		struct async_child child = {
			async, proc_in, proc_out,
			need_in ? fdin[1] : -1, need_out ? fdout[0] : -1,
		};
		async->pid = sandshell_clone(async_child, &child);
	}
	if (async->pid < 0) {
		error_errno("fork (async) failed");
		goto error;
	}
""",
    ),
]

#: Two copies of git that carry what goes to and fro, for remote helpers that give a connection.
TRANSPORT = [
    Edit(
        "transport-helper.c",
        "static int tloop_join(pid_t pid",
        """#include <sandshell.h>

static int copy_gtp(void *data)
{
	struct bidirectional_transfer_state *s = data;

	udt_kill_transfer(&s->ptg);
	return udt_copy_task_routine(&s->gtp) ? 0 : 1;
}

static int copy_ptg(void *data)
{
	struct bidirectional_transfer_state *s = data;

	udt_kill_transfer(&s->gtp);
	return udt_copy_task_routine(&s->ptg) ? 0 : 1;
}

static int tloop_join(pid_t pid""",
    ),
    Edit("transport-helper.c", "	pid1 = fork();\n", "	pid1 = sandshell_clone(copy_gtp, s);\n"),
    between("transport-helper.c", "	else if (pid1 == 0) {\n", "? 0 : 1);\n	}\n", ""),
    Edit("transport-helper.c", "	pid2 = fork();\n", "	pid2 = sandshell_clone(copy_ptg, s);\n"),
    between("transport-helper.c", "	else if (pid2 == 0) {\n", "? 0 : 1);\n	}\n", ""),
]

#: A number of threads changes nothing that git answers: it need not be said that there are none.
THREADS = [
    Edit("builtin/index-pack.c", """			warning(_("no threads support, ignoring %s"), k);\n""", ""),
    Edit("builtin/index-pack.c", """					warning(_("no threads support, ignoring %s"), arg);\n""", ""),
    Edit("builtin/pack-objects.c", """			warning(_("no threads support, ignoring %s"), k);\n""", ""),
    Edit(
        "builtin/pack-objects.c",
        """		warning(_("no threads support, ignoring --threads"));\n""",
        "		delta_search_threads = 1;\n",
    ),
    Edit("builtin/grep.c", """			warning(_("no threads support, ignoring %s"), var);\n""", ""),
    Edit("builtin/grep.c", """		warning(_("no threads support, ignoring --threads"));\n""", ""),
]

#: glibc's UTF-16 and UTF-32 have the lower byte first, after a mark that says so.
ENCODINGS = [
    Edit(
        "utf8.c",
        f"""same_utf_encoding("UTF-{bits}", out_encoding)) {{
		bom_str = utf{bits}_be_bom;
		bom_len = sizeof(utf{bits}_be_bom);
		out_encoding = "UTF-{bits}BE";
""",
        f"""same_utf_encoding("UTF-{bits}", out_encoding)) {{
		bom_str = utf{bits}_le_bom;
		bom_len = sizeof(utf{bits}_le_bom);
		out_encoding = "UTF-{bits}LE";
""",
    )
    for bits in (16, 32)
]

#: Parts of packs are read, as there is no mapping: pieces that are not much larger than most objects. A piece with what
#: the allocator adds is one page of WebAssembly. They are found in a list, so there are at most some hundred of them.
PACKS = [
    Edit(
        "git-compat-util.h",
        "#define DEFAULT_PACKED_GIT_WINDOW_SIZE (1 * 1024 * 1024)\n",
        "#define DEFAULT_PACKED_GIT_WINDOW_SIZE (60 * 1024)\n",
    ),
    between(
        "git-compat-util.h",
        "#define DEFAULT_PACKED_GIT_LIMIT \\\n",
        ": 256))\n",
        "#define DEFAULT_PACKED_GIT_LIMIT (32 * 1024 * 1024)\n",
    ),
]

#: WebAssembly reads numbers at any address, which the checksum's code takes for granted of the processors that it knows.
CHECKSUM = [
    Edit(
        "sha1dc/sha1.c",
        "#if defined(SHA1DC_FORCE_UNALIGNED_ACCESS) ||",
        "#if defined(__wasm__) || defined(SHA1DC_FORCE_UNALIGNED_ACCESS) ||",
    ),
]

ALL = [*ACTIONS, *START_COMMAND, *START_ASYNC, *TRANSPORT, *THREADS, *ENCODINGS, *PACKS, *CHECKSUM]
