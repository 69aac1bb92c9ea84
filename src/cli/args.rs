//! The command line's grammar; help texts, completions and the man page are derived from it.

use super::duration::parse_duration;
use super::mount::MountSpec;
use super::size::parse_size;
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Run bash in a WebAssembly sandbox: offline, in milliseconds, with nothing of the host visible.
#[derive(Debug, Parser)]
#[command(name = "sandshell", version, long_version = super::version::long(), max_term_width = 100, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// Keep local sandboxes in this directory, or in an object store (s3://BUCKET/PREFIX, gs://, az://, file:///DIR)
    /// that several machines share; without, SANDSHELL_DATA_DIR says it, or it is the user's directory for data.
    #[arg(long, global = true, value_name = "DIR|URL", value_hint = ValueHint::DirPath)]
    pub(crate) data_dir: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a command in a fresh sandbox.
    #[command(after_help = EXEC_EXAMPLES)]
    Exec(Exec),
    /// Work in a sandbox interactively.
    #[command(after_help = SHELL_EXAMPLES)]
    Shell(Shell),
    /// Run one WASI module or component.
    #[command(after_help = RUN_EXAMPLES)]
    Run(Run),
    /// Copy files into and out of a sandbox that is kept in a file.
    #[command(after_help = CP_EXAMPLES)]
    Cp(Cp),
    /// Create a sandbox that stays, and print its id.
    #[command(after_help = CREATE_EXAMPLES)]
    Create(Create),
    /// List sandboxes: of one provider, or of all that are configured.
    #[command(after_help = LIST_EXAMPLES)]
    List(List),
    /// Delete sandboxes.
    #[command(after_help = DELETE_EXAMPLES)]
    Delete(Ids),
    /// Keep the state of a sandbox as a snapshot, and print the snapshot's id.
    #[command(after_help = SNAPSHOT_EXAMPLES)]
    Snapshot(SnapshotArgs),
    /// Put a sandbox back to a snapshot, or to one of its own states.
    #[command(after_help = RESTORE_EXAMPLES)]
    Restore(RestoreArgs),
    /// The shells that live in a local sandbox from one `exec --session` to the next.
    #[command(after_help = SESSION_EXAMPLES)]
    Session(Sessions),
    /// List the states that a local sandbox had, newest first.
    #[command(after_help = LOG_EXAMPLES)]
    Log(Log),
    /// List the files that differ between two states of a local sandbox.
    #[command(after_help = DIFF_EXAMPLES)]
    Diff(Diff),
    /// Write the files of a local sandbox to a tar archive.
    #[command(after_help = EXPORT_EXAMPLES)]
    Export(Export),
    /// Create a local sandbox from a tar archive, and print its id.
    #[command(after_help = EXPORT_EXAMPLES)]
    Import(Import),
    /// Remove what no local sandbox needs any more, or look for damage.
    #[command(after_help = GC_EXAMPLES)]
    Gc(Gc),
    /// Copy a sandbox, and print the copy's id.
    #[command(after_help = FORK_EXAMPLES)]
    Fork(Id),
    /// Stop sandboxes, keeping what is in them.
    #[command(after_help = PAUSE_EXAMPLES)]
    Pause(Ids),
    /// Let paused sandboxes go on.
    #[command(after_help = PAUSE_EXAMPLES)]
    Resume(Ids),
    /// Show which providers there are, what they can do, and what each of them needs.
    #[command(after_help = PROVIDERS_EXAMPLES)]
    Providers(Providers),
    /// Check that providers can be reached and accept their credentials; say what to do if not.
    #[command(after_help = DOCTOR_EXAMPLES)]
    Doctor(Doctor),
    /// Add programs to sandboxes: build, install, list and remove packs.
    #[command(after_help = PACK_EXAMPLES)]
    Pack(Pack),
    /// Run commands in one sandbox, and keep each call with its answer in a file.
    #[cfg(feature = "wrappers")]
    #[command(after_help = RECORD_EXAMPLES)]
    Record(Record),
    /// Answer commands from a file that `record` wrote: offline, and the same each time.
    #[cfg(feature = "wrappers")]
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay(Replay),
    /// Give agents a sandbox over the Model Context Protocol.
    #[cfg(feature = "mcp")]
    #[command(after_help = MCP_EXAMPLES)]
    Mcp(Mcp),
    /// Speak the clouds' own protocols on localhost, for their SDKs.
    #[cfg(feature = "serve")]
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(Serve),
    /// Show the sandboxes that are kept, and what happens in them, in the browser.
    #[cfg(feature = "ui")]
    #[command(after_help = UI_EXAMPLES)]
    Ui(Ui),
    /// Print a completion script for a shell.
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell to complete in.
        shell: clap_complete::Shell,
    },
    /// Print a manual page (troff).
    #[command(after_help = MAN_EXAMPLES)]
    Man {
        /// The command it is about; without, sandshell as a whole.
        command: Option<String>,
    },
}

const EXAMPLES: &str = "\
Examples:
  sandshell exec 'echo hello | tr a-z A-Z'
  sandshell exec --mount .:/workspace:overlay --diff 'sed -i s/foo/bar/ *.txt'
  sandshell shell --state box.tar
  sandshell exec --sandbox e2b 'uname -a'
  sandshell run --dir data::/data tool.wasm --input /data/in.txt";

const EXEC_EXAMPLES: &str = "\
Examples:
  sandshell exec 'echo hello | tr a-z A-Z'
  sandshell exec --mount .:/workspace:overlay --diff 'sed -i s/foo/bar/ *.txt'
  sandshell exec --mount .:/workspace:overlay --apply 'make-changes.sh'
  sandshell exec --state box.tar 'echo kept > note'; sandshell exec --state box.tar 'cat note'
  sandshell exec --seed 7 --clock 2026-01-01T00:00:00Z 'date; echo $RANDOM'
  sandshell exec --timeout 5s --json 'sleep 10'
  sandshell exec --sandbox daytona --sandbox-setup setup.sh --setup-env TOKEN 'make test'

The command is over when no process can write to its output any more, as for whoever reads a pipe: background
processes are waited for, up to --timeout or until Ctrl-C. The exit status is the command's own; 124 after a timeout,
2 if sandshell itself could not do what was asked.";

const SHELL_EXAMPLES: &str = "\
Examples:
  sandshell shell
  sandshell shell --mount ~/project:/workspace:overlay --diff

Ctrl-C stops the command that runs, not the shell; Ctrl-Z suspends it, and `fg` or `bg` continues it. Tab completes, Ctrl-R
searches the history. `exit` or Ctrl-D ends the shell.";

const RUN_EXAMPLES: &str = "\
Examples:
  sandshell run hello.wasm
  sandshell run --dir data::/data --env LEVEL=3 tool.wasm --input /data/in.txt

The module sees exactly the directories, variables and arguments given. Its exit status is sandshell's, as with
`wasmtime run`: 134 after a trap; 124 after a timeout.";

const CP_EXAMPLES: &str = "\
Examples:
  sandshell cp --state box.tar notes.txt data :/workspace/
  sandshell cp --state box.tar :/workspace/result.csv .
  sandshell cp --sandbox e2b --sandbox-id ID src :/home/user/

Paths inside the sandbox begin with a colon.";

const CREATE_EXAMPLES: &str = "\
Examples:
  sandshell create --label thread=7 --mount .:/workspace --hard-ttl 90d
  id=$(sandshell create --sandbox e2b --label job=7 --ttl 30m)
  sandshell exec --sandbox e2b --sandbox-id \"$id\" 'echo again'
  sandshell delete --sandbox e2b \"$id\"";

const LIST_EXAMPLES: &str = "\
Examples:
  sandshell list
  sandshell list --sandbox daytona --label job=7 --json

One line a sandbox: provider, id, state, when it was created, labels.";

const DELETE_EXAMPLES: &str = "\
Examples:
  sandshell delete --sandbox e2b ID ID

A sandbox that is not there counts as deleted.";

const SNAPSHOT_EXAMPLES: &str = "\
Examples:
  sandshell snapshot --sandbox daytona ID --name prepared
  sandshell exec --sandbox daytona --sandbox-snapshot-name prepared 'ls'";

const RESTORE_EXAMPLES: &str = "\
Examples:
  sandshell restore ID prepared
  sandshell log ID; sandshell restore ID 12

What the sandbox has now stays in its history. A number is a state, anything else a snapshot.";

const LOG_EXAMPLES: &str = "\
Examples:
  sandshell log ID
  sandshell log ID --json

One line a state: its number, when it was stored, what led to it. The newest 200 are kept, and of older ones the last of
each hour for seven days.";

const DIFF_EXAMPLES: &str = "\
Examples:
  sandshell diff ID
  sandshell diff ID 3 7
  sandshell diff ID prepared --patch | git apply
  sandshell diff ID prepared

Without states: what the last change did; with one: what has changed since. A line a file: A added, M changed, D removed.";

const EXPORT_EXAMPLES: &str = "\
Examples:
  sandshell export ID box.sandbox
  sandshell export ID box.tar --state 3
  sandshell import box.tar --label from=box

The archives have the sandbox's own files, as that of `exec --state` has. An imported sandbox has the labels, variables and limits
of a FILE.sandbox, but no limit that is wider than those of a new one, and no mounts.";

const GC_EXAMPLES: &str = "\
Examples:
  sandshell gc --dry-run
  sandshell gc --check

With --check, everything is read and compared with its checksums; the status is 1 if something is damaged.";

const FORK_EXAMPLES: &str = "\
Examples:
  copy=$(sandshell fork --sandbox e2b ID)";

const PAUSE_EXAMPLES: &str = "\
Examples:
  sandshell pause --sandbox e2b ID; sandshell resume --sandbox e2b ID";

const PROVIDERS_EXAMPLES: &str = "\
Examples:
  sandshell providers
  sandshell providers --json

Providers are declared in config.toml, in $XDG_CONFIG_HOME/sandshell or ~/.config/sandshell; SANDSHELL_CONFIG names
another file.";

const DOCTOR_EXAMPLES: &str = "\
Examples:
  sandshell doctor
  sandshell doctor e2b daytona

The exit status is 1 if a provider that was named, or that is configured, cannot be used.";

const PACK_EXAMPLES: &str = "\
Examples:
  sandshell pack build python
  sandshell exec 'python3 -c \"print(6 * 7)\"'
  sandshell pack install ./my-pack; sandshell pack list

A pack that is installed is in every sandbox; --no-packs leaves all of them out, --pack DIR adds one for a single run.";

const SESSION_EXAMPLES: &str = "\
Examples:
  id=$(sandshell create)
  sandshell exec --sandbox-id $id --session main 'cd /tmp; x=1; sleep 100 &'
  sandshell exec --sandbox-id $id --session main 'pwd; echo $x; jobs'
  sandshell session list $id
  sandshell session end $id main

A process in the background keeps the sandbox and its shells. It ends with the last session, when the sandbox was idle for as
long as its --ttl says, and with `delete`, `pause` and `restore`. Meanwhile other `exec` of the sandbox run in it, too.";

#[cfg(feature = "wrappers")]
const RECORD_EXAMPLES: &str = "\
Examples:
  sandshell record session.jsonl 'echo hi > note' 'cat note'
  sandshell record --sandbox e2b --env TOKEN --secret-env TOKEN session.jsonl 'make test'

Each command is a new shell in the same sandbox. The status is that of the last command; a command that fails is the last.
The file is text, one JSON object a line; what --secret-env names is not in it. Programs replay it with
`sandshell::wrappers::replay`, or `sandshell.replay` in Python and `replay` in JavaScript.";

#[cfg(feature = "wrappers")]
const REPLAY_EXAMPLES: &str = "\
Examples:
  sandshell replay session.jsonl 'echo hi > note' 'cat note'

A command that was not recorded is refused with what was expected instead.";

#[cfg(feature = "mcp")]
const MCP_EXAMPLES: &str = "\
Examples:
  sandshell mcp
  sandshell mcp --diff changes.patch
  sandshell mcp --mount ~/project:/workspace:overlay --timeout 5m
  sandshell mcp --http
  sandshell mcp --sandbox-id sandbox-4k2m9xq7bvhc
  sandshell mcp --keep

Speaks on standard input and output, as agents start it, or over HTTP with a sandbox for each session. Without --mount
the current directory is at /workspace as an overlay: what an agent changes is in the sandbox only, until you apply it.";

#[cfg(feature = "serve")]
const SERVE_EXAMPLES: &str = "\
Examples:
  sandshell serve --emulate e2b
  sandshell serve --emulate e2b --env-file .env
  sandshell --data-dir clouds serve --emulate e2b,modal
  eval \"$(sandshell serve --print-env e2b)\"

Prints the environment variables that point each SDK here, then serves until Ctrl-C. Sandboxes are local ones and are
gone when it ends; with --data-dir they are there again when it is started with the same directory.";

#[cfg(feature = "ui")]
const UI_EXAMPLES: &str = "\
Examples:
  sandshell ui --open
  sandshell ui --data-dir clouds --port 4282

Prints the address of a page, then serves it until Ctrl-C, to this machine alone. Whoever has the address can look at the
sandboxes, and work in them through the page's terminal. The page follows what agents do in other processes.";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  sandshell completions bash > ~/.local/share/bash-completion/completions/sandshell
  sandshell completions zsh > \"${fpath[1]}/_sandshell\"";

const MAN_EXAMPLES: &str = "\
Examples:
  sandshell man > ~/.local/share/man/man1/sandshell.1
  sandshell man exec | man -l -";

#[derive(Debug, Args)]
pub(crate) struct Exec {
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    #[command(flatten)]
    pub(crate) changes: ChangeArgs,
    /// Print one JSON object with status, output and timing instead of the output itself.
    #[arg(long)]
    pub(crate) json: bool,
    /// Run it in this session of the sandbox: a shell that keeps its variables, functions, directory and jobs from one
    /// `exec` to the next. Needs --sandbox-id.
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Keep this much of the output (for example 64K, 100M) and discard the rest; 10M with --json, without it no limit
    /// if not given.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) max_output: Option<u64>,
    /// The command, as for `bash -c`.
    pub(crate) command: OsString,
    /// Positional parameters of the command: $0, $1, …
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) args: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct Shell {
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    #[command(flatten)]
    pub(crate) changes: ChangeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// Make a host directory visible; GUEST defaults to HOST.
    #[arg(long = "dir", value_name = "HOST[::GUEST]", value_hint = ValueHint::DirPath)]
    pub(crate) dirs: Vec<OsString>,
    /// Set a variable; without a value it is taken from the host's environment.
    #[arg(long = "env", value_name = "NAME[=VALUE]")]
    pub(crate) env: Vec<OsString>,
    /// Stop the module after this time (for example 500ms, 30s, 5m) with status 124.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) timeout: Option<Duration>,
    /// Memory the module may use (for example 64M, 1G).
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory: Option<u64>,
    /// The file of the module or component.
    #[arg(value_name = "MODULE.wasm", value_hint = ValueHint::FilePath)]
    pub(crate) module: PathBuf,
    /// Its arguments.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) args: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct Cp {
    /// The file that keeps the sandbox's files; created if it is missing.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, required_unless_present = "id", conflicts_with = "id")]
    pub(crate) state: Option<PathBuf>,
    /// The provider of the sandbox (see `sandshell providers`).
    #[arg(long, value_name = "TYPE", requires = "id")]
    pub(crate) sandbox: Option<String>,
    /// The sandbox with this id.
    #[arg(long = "sandbox-id", value_name = "ID")]
    pub(crate) id: Option<String>,
    /// What to copy, and last where to.
    #[arg(required = true, num_args = 2.., value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct Pack {
    #[command(subcommand)]
    pub(crate) command: PackCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PackCommand {
    /// Build a pack from its recipe with packages from the registries, and install it.
    Build {
        /// The recipe: `python`, or a directory with a pack.toml.
        #[arg(value_name = "NAME|DIR")]
        recipe: String,
        /// Write the pack to this file (a tar archive) instead of installing it.
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        output: Option<PathBuf>,
    },
    /// Compile a C program for the sandbox. The words are those of a C compiler: `sandshell pack cc -O2 hello.c -o
    /// hello`.
    Cc {
        /// Sources, objects, options.
        #[arg(value_name = "WORD", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<OsString>,
    },
    /// Compile a built pack's program into a file beside it, for packages that carry it.
    #[command(hide = true)]
    Compile {
        /// A built pack.
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        pack: PathBuf,
    },
    /// Install a built pack.
    Install {
        /// An archive that `build --output` wrote, a directory with a pack.toml, or the name of a pack whose archive came
        /// with the program: `sandshell-pack-NAME-VERSION.tar` in its directory, or in `../share/sandshell/packs`.
        #[arg(value_name = "NAME|FILE|DIR", value_hint = ValueHint::AnyPath)]
        pack: PathBuf,
    },
    /// List the packs that are installed: name, version, summary.
    List,
    /// Print what a pack is made of, with licences and sources.
    Info {
        /// The pack's name, or a directory.
        name: String,
    },
    /// Remove a pack.
    Remove {
        /// The pack's name.
        name: String,
    },
}

/// Where the sandbox comes from.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Provider")]
pub(crate) struct ProviderArgs {
    /// The provider: `local`, a cloud, or one of the configuration (see `sandshell providers`). Without,
    /// SANDSHELL_SANDBOX says it, then the configuration; otherwise `local`.
    #[arg(long, value_name = "TYPE")]
    pub(crate) sandbox: Option<String>,
    /// Use the sandbox with this id, which is neither created nor deleted.
    #[arg(long = "sandbox-id", value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Start from the snapshot of this name; if there is none, make it of a new sandbox once that is set up.
    #[arg(long = "sandbox-snapshot-name", value_name = "NAME", conflicts_with = "id")]
    pub(crate) snapshot_name: Option<String>,
    #[command(flatten)]
    pub(crate) setup: SetupArgs,
}

/// What makes a sandbox ready.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Provider")]
pub(crate) struct SetupArgs {
    /// Run this bash script in the sandbox first. What --setup-env and --setup-env-file allow are variables in it. If
    /// it fails, a sandbox that was created for it is deleted.
    #[arg(long = "sandbox-setup", value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) script: Option<PathBuf>,
    /// Let the script have this variable of the host's.
    #[arg(long = "setup-env", value_name = "NAME", requires = "script")]
    pub(crate) setup_env: Vec<String>,
    /// Let the script have the variables of this file (NAME=value a line); those of the host's that are allowed win.
    #[arg(long = "setup-env-file", value_name = "FILE", value_hint = ValueHint::FilePath, requires = "script")]
    pub(crate) setup_env_file: Option<PathBuf>,
}

#[cfg(feature = "wrappers")]
#[derive(Debug, Args)]
pub(crate) struct Record {
    #[command(flatten)]
    pub(crate) provider: ProviderArgs,
    #[command(flatten)]
    pub(crate) calls: CallArgs,
}

#[cfg(feature = "wrappers")]
#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// Insist on the order of the recording; otherwise a call is answered wherever it was recorded.
    #[arg(long)]
    pub(crate) in_order: bool,
    #[command(flatten)]
    pub(crate) calls: CallArgs,
}

/// Commands, and the file with their answers.
#[cfg(feature = "wrappers")]
#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// Set a variable; without a value it is taken from the host's environment.
    #[arg(long = "env", value_name = "NAME[=VALUE]")]
    pub(crate) env: Vec<OsString>,
    /// Directory to start in; without, the provider's own.
    #[arg(long, value_name = "DIR")]
    pub(crate) workdir: Option<String>,
    /// Stop a command after this time (for example 500ms, 30s, 5m) with status 124.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) timeout: Option<Duration>,
    /// Keep the value of this variable of the host's out of the file.
    #[arg(long = "secret-env", value_name = "NAME")]
    pub(crate) secrets: Vec<String>,
    /// The file: of `record` it is replaced.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) cassette: PathBuf,
    /// The commands, as for `bash -c`.
    #[arg(required = true, value_name = "COMMAND")]
    pub(crate) commands: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// The provider (see `sandshell providers`).
    #[arg(long, value_name = "TYPE")]
    pub(crate) sandbox: Option<String>,
    /// Start from this snapshot (image, template: the provider's word).
    #[arg(long, value_name = "SNAPSHOT")]
    pub(crate) snapshot: Option<String>,
    /// A label to find it by.
    #[arg(long = "label", value_name = "NAME=VALUE", value_parser = super::variables::pair)]
    pub(crate) labels: Vec<(String, String)>,
    /// Set a variable for all commands; without a value it is taken from the host's environment.
    #[arg(long = "env", value_name = "NAME[=VALUE]")]
    pub(crate) env: Vec<OsString>,
    /// The working directory.
    #[arg(long, value_name = "DIR")]
    pub(crate) workdir: Option<String>,
    /// Show a directory of this machine in the sandbox whenever it is used here: read-only (ro, the default),
    /// read-write (rw), or as an overlay, whose changes end with each command.
    #[arg(long = "mount", value_name = "HOST:GUEST[:ro|rw|overlay]")]
    pub(crate) mounts: Vec<MountSpec>,
    /// Let it end by itself after this time (for example 30m, 2h); a local one is then parked on disk, counted from its
    /// last use.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) ttl: Option<Duration>,
    /// Let it exist for this time at most, in use or not (for example 12h, 7d); local ones 30 days if not given.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) hard_ttl: Option<Duration>,
    /// Memory (for example 1G).
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory: Option<u64>,
    #[command(flatten)]
    pub(crate) setup: SetupArgs,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// The provider; without, all that are configured.
    #[arg(long, value_name = "TYPE")]
    pub(crate) sandbox: Option<String>,
    /// Only sandboxes with this label.
    #[arg(long = "label", value_name = "NAME=VALUE", value_parser = super::variables::pair)]
    pub(crate) labels: Vec<(String, String)>,
    /// Print JSON, an array of objects.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Ids {
    /// The provider (see `sandshell providers`).
    #[arg(long, value_name = "TYPE")]
    pub(crate) sandbox: Option<String>,
    /// The sandboxes.
    #[arg(required = true, value_name = "ID")]
    pub(crate) ids: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Id {
    /// The provider (see `sandshell providers`).
    #[arg(long, value_name = "TYPE")]
    pub(crate) sandbox: Option<String>,
    /// The sandbox.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
}

#[derive(Debug, Args)]
pub(crate) struct Sessions {
    #[command(subcommand)]
    pub(crate) verb: SessionVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionVerb {
    /// List a sandbox's sessions, and whether a command runs in them.
    List {
        /// The sandbox.
        #[arg(value_name = "ID")]
        id: String,
        /// Print a JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Print what a session's jobs wrote since its last command.
    Output {
        /// The sandbox.
        #[arg(value_name = "ID")]
        id: String,
        /// The session.
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// End a session with all that it started, or all of a sandbox's.
    End {
        /// The sandbox.
        #[arg(value_name = "ID")]
        id: String,
        /// The session; without it, all.
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
    /// What `exec --session` starts: the process that keeps the sessions.
    #[command(hide = true)]
    Keep {
        /// The sandbox.
        id: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SnapshotArgs {
    #[command(flatten)]
    pub(crate) of: Id,
    /// A name for the snapshot.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    #[command(flatten)]
    pub(crate) of: Id,
    /// A snapshot; of a local sandbox also the number of one of its states.
    #[arg(value_name = "SNAPSHOT|STATE")]
    pub(crate) to: String,
}

#[derive(Debug, Args)]
pub(crate) struct Log {
    #[command(flatten)]
    pub(crate) of: Id,
    /// Print JSON, an array of objects.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Diff {
    #[command(flatten)]
    pub(crate) of: Id,
    /// The state before, or a snapshot.
    #[arg(value_name = "FROM")]
    pub(crate) from: Option<String>,
    /// The state after, or a snapshot; without, the newest.
    #[arg(value_name = "TO")]
    pub(crate) to: Option<String>,
    /// Print a patch that `git apply` and `patch -p1` understand; paths in it are those from the root of the sandbox.
    #[arg(long, conflicts_with = "json")]
    pub(crate) patch: bool,
    /// Print JSON, an array of objects.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) of: Id,
    /// The file, which is replaced: FILE.tar and FILE.tar.gz are archives of the files; FILE.sandbox also has the
    /// labels, variables and limits.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Another state than the newest, or a snapshot.
    #[arg(long, value_name = "STATE")]
    pub(crate) state: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// What `export` wrote, or another tar archive, compressed by gzip or not.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// A label to find the sandbox by.
    #[arg(long = "label", value_name = "NAME=VALUE", value_parser = super::variables::pair)]
    pub(crate) labels: Vec<(String, String)>,
}

#[derive(Debug, Args)]
pub(crate) struct Gc {
    /// Only say what would be removed.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Remove nothing, but read everything and say what is damaged.
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) check: bool,
    /// Print JSON, an object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Providers {
    /// Print JSON, an array of objects.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// The providers to check; without, all that are configured.
    #[arg(value_name = "TYPE")]
    pub(crate) providers: Vec<String>,
}

/// What the sandbox is made of.
#[derive(Debug, Args)]
#[command(next_help_heading = "Sandbox")]
pub(crate) struct SandboxArgs {
    #[command(flatten)]
    pub(crate) provider: ProviderArgs,
    /// Show a host directory in the sandbox: read-only (ro, the default), read-write (rw), or as an overlay whose
    /// changes stay in memory. One that holds sandshell's own cache, configuration or packs, as ~ does, cannot be
    /// read-write.
    #[arg(long = "mount", value_name = "HOST:GUEST[:ro|rw|overlay]")]
    pub(crate) mounts: Vec<MountSpec>,
    /// Set a variable; without a value it is taken from the host's environment.
    #[arg(long = "env", value_name = "NAME[=VALUE]")]
    pub(crate) env: Vec<OsString>,
    /// Add a pack: a directory with a built one, or the name of an installed one.
    #[arg(long = "pack", value_name = "NAME|DIR")]
    pub(crate) packs: Vec<String>,
    /// Leave out the packs that are installed.
    #[arg(long)]
    pub(crate) no_packs: bool,
    /// Directory to start in; without, the provider's own (of local sandboxes /workspace).
    #[arg(long, value_name = "DIR")]
    pub(crate) workdir: Option<String>,
    /// Stop the command and all that it left in the background after this time (for example 500ms, 30s, 5m) with status
    /// 124.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) timeout: Option<Duration>,
    /// Memory that all processes together may use (for example 256M, 2G); of local sandboxes 4G if not given.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory: Option<u64>,
    /// Space for files (for example 256M, 2G); of local sandboxes 4G if not given, and as much again for each overlay.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) disk: Option<u64>,
    /// Files, directories and links in memory at once; of local sandboxes 200000 if not given, and as many again for
    /// each overlay.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) inodes: Option<u64>,
    /// Bytes that may be written to directories mounted rw (for example 256M, 2G); 16G if not given.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) host_disk: Option<u64>,
    /// Make the run repeatable: random numbers come from this seed, processes take turns in a fixed order.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// The sandbox's clock: `real`, `virtual` (starts at 2000-01-01; passes by the instructions that processes execute,
    /// and at once while all wait), or a fixed time such as 2026-01-01T00:00:00Z.
    #[arg(long, value_name = "CLOCK", default_value = "real")]
    pub(crate) clock: super::clock::ClockSpec,
    /// Keep the sandbox's files in FILE (a tar archive) from one run to the next.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) state: Option<PathBuf>,
}

#[cfg(feature = "mcp")]
#[derive(Debug, Args)]
pub(crate) struct Mcp {
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    /// Mount nothing: the workspace is empty.
    #[arg(long, conflicts_with = "mounts")]
    pub(crate) no_mount: bool,
    /// Keep sandboxes on disk, and let agents create, list, use, copy, pause and delete those that are kept. Nothing is
    /// mounted unless --mount says so.
    #[arg(long, conflicts_with = "state")]
    pub(crate) keep: bool,
    /// Write the overlays' changes to FILE as a patch when the session ends.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "http")]
    pub(crate) diff: Option<PathBuf>,
    /// Bytes of an answer; what is more is kept in a file of the sandbox and read in pages.
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "32K")]
    pub(crate) max_output: u64,
    /// Speak streamable HTTP at this address (port 0 takes a free one) instead of standard input and output.
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:4281", require_equals = true, conflicts_with_all = ["state", "id"])]
    pub(crate) http: Option<std::net::SocketAddr>,
    /// Allow an address that other machines can reach.
    #[arg(long, requires = "http")]
    pub(crate) public: bool,
}

#[cfg(feature = "serve")]
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Whose protocols to speak, separated by commas.
    #[arg(long, value_name = "VENDOR", value_delimiter = ',', required_unless_present = "print_env")]
    pub(crate) emulate: Vec<sandshell::emulator::Vendor>,
    /// The port to listen on; 0 takes a free one.
    #[arg(long, default_value_t = 4280)]
    pub(crate) port: u16,
    /// The address to listen on.
    #[arg(long, default_value = "127.0.0.1")]
    pub(crate) host: std::net::IpAddr,
    /// Allow an address that other machines can reach.
    #[arg(long)]
    pub(crate) public: bool,
    /// Accept only this key instead of any.
    #[arg(long, value_name = "KEY")]
    pub(crate) api_key: Option<String>,
    /// Add a pack to the sandboxes: a directory with a built one, or the name of an installed one.
    #[arg(long = "pack", value_name = "NAME|DIR")]
    pub(crate) packs: Vec<String>,
    /// Leave out the packs that are installed.
    #[arg(long)]
    pub(crate) no_packs: bool,
    /// Answer /healthz, /readyz and /metrics (Prometheus) at this address; one that other machines reach needs
    /// --public.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) health: Option<std::net::SocketAddr>,
    /// Share the work with the other servers on this object store, which reach this one at this address of the machine.
    ///
    /// Clients may then connect to any of the servers. What the servers say to each other is authenticated with a
    /// secret in the store, but not encrypted.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) join: Option<std::net::SocketAddr>,
    /// How long requests that are being answered may go on after SIGTERM or Ctrl-C; a second one ends that.
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "10s")]
    pub(crate) grace: Duration,
    /// Write the variables to a file instead of standard output.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) env_file: Option<PathBuf>,
    /// Print one vendor's variables for `eval` and end.
    #[arg(long, value_name = "VENDOR", conflicts_with_all = ["emulate", "env_file"])]
    pub(crate) print_env: Option<sandshell::emulator::Vendor>,
}

#[cfg(feature = "ui")]
#[derive(Debug, Args)]
pub(crate) struct Ui {
    /// The port to listen on; without, a free one.
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
    /// Open the page in the browser.
    #[arg(long)]
    pub(crate) open: bool,
}

/// What becomes of an overlay's changes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Overlay changes")]
pub(crate) struct ChangeArgs {
    /// Print what the overlays changed after the command has ended: as a patch, or as a list.
    #[arg(long, value_name = "FORM", num_args = 0..=1, default_missing_value = "patch", require_equals = true)]
    pub(crate) diff: Option<DiffForm>,
    /// Write the overlays' changes back to the host directories if the command succeeded: all of them or none.
    ///
    /// Nothing is written if anything there was changed meanwhile. If sandshell is killed in the middle, the next run
    /// that mounts the directory takes back what was done. Set-user-ID and set-group-ID bits are left out.
    #[arg(long)]
    pub(crate) apply: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffForm {
    /// A patch that `git apply` and `patch -p1` understand.
    Patch,
    /// One line a file: A added, M changed, D removed; names are quoted as by git, changes of modes come after them.
    List,
}
