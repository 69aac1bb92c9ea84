//! Runs guests under development: `run --module sh=sh.wasm --applets sh:bash,sh:sh -- bash -c 'echo hi'`.

#![allow(clippy::print_stderr, clippy::print_stdout, clippy::exit, reason = "this is a command line program")]

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::exit;
use std::sync::Arc;
use std::time::Duration;

use sandshell_runtime::{
    Clock, Code, Command, Engine, EngineOptions, Kernel, Limits, Output, OutputKind, Random, Stdin,
    SystemImage, SystemProgram, command_file,
};
use sandshell_vfs::{Context, HostAccess, HostDir, MemoryFs, MountOptions, Namespace, OpenOptions, Opened};

const USAGE: &str = "usage: run [OPTIONS] [--] ARGV...
  --module NAME=FILE.wasm     a program of the system image (repeatable)
  --applets MODULE:NAME,...   commands in /usr/bin (repeatable)
  --copy FILE:PATH            a host file put into the sandbox with mode 0755 (repeatable)
  --mount HOSTDIR:PATH[:ro]   a host directory (repeatable)
  --cwd PATH                  working directory (default /workspace)
  --env NAME=VALUE            (repeatable; defaults as of the local provider)
  --timeout SECONDS
  --seed N                    deterministic: seeded random, virtual clock
  --fuel N                    metered, with this budget
  --empty-stdin               do not read standard input
  --stats                     print the outcome to standard error
  --repeat N                  run N times, print the mean time";

#[derive(Default)]
struct Options {
    modules: Vec<(&'static str, PathBuf)>,
    applets: Vec<(&'static str, &'static str)>,
    copies: Vec<(PathBuf, String)>,
    mounts: Vec<(PathBuf, String, bool)>,
    cwd: Option<String>,
    env: Vec<(Vec<u8>, Vec<u8>)>,
    timeout: Option<Duration>,
    seed: Option<u64>,
    fuel: Option<u64>,
    empty_stdin: bool,
    stats: bool,
    repeat: u32,
    argv: Vec<Vec<u8>>,
}

type Failure = Box<dyn std::error::Error>;

fn main() {
    let result = tokio::runtime::Builder::new_multi_thread()
        .enable_time()
        .build()
        .map_err(Failure::from)
        .and_then(|runtime| runtime.block_on(run()));
    match result {
        Ok(code) => exit(code),
        Err(error) => {
            eprintln!("run: {error}");
            exit(125);
        }
    }
}

async fn run() -> Result<i32, Failure> {
    let options = parse()?;
    let programs = options
        .modules
        .iter()
        .map(|(name, path)| SystemProgram { name, code: Code::WasmFile(path.clone()) })
        .collect();
    let commands = options.applets.iter().map(|(m, a)| (*a, *m)).collect();
    let image = SystemImage { programs, commands, ..SystemImage::default() };
    let engine = Engine::new(EngineOptions::new(image))?;
    let kernel = Kernel::builder(&engine, namespace(&options)?);
    let limits = Limits { fuel: options.fuel, ..Limits::default() };
    let kernel = kernel.limits(limits);
    let kernel = match options.seed {
        Some(seed) => {
            let start = sandshell_vfs::Time { secs: 1_700_000_000, nanos: 0 };
            kernel.random(Random::Seeded(seed)).clock(Clock::Virtual(start))
        }
        None => kernel,
    };
    let kernel = kernel.build()?;
    let name = options.argv.first().cloned().ok_or(USAGE)?;
    let path = if name.contains(&b'/') { name } else { [b"/usr/bin/", &name[..]].concat() };
    let started = std::time::Instant::now();
    let mut code = 0;
    for round in 0..options.repeat.max(1) {
        let mut command = Command::new(path.clone(), options.argv.clone());
        command.cwd = options.cwd.clone().unwrap_or("/workspace".into()).into_bytes();
        command.env = environment(&options, &command.cwd);
        command.timeout = options.timeout;
        command.stdin = if options.empty_stdin || round > 0 { Stdin::Empty } else { stdin() };
        command.output = Output {
            capture: false,
            stream: Some(Box::new(|kind: OutputKind, bytes: &[u8]| {
                // If the host's standard output is closed, there is nobody to report the error to.
                let _ = match kind {
                    OutputKind::Stdout => std::io::stdout().write_all(bytes),
                    OutputKind::Stderr => std::io::stderr().write_all(bytes),
                };
            })),
            ..Output::default()
        };
        let outcome = kernel.spawn(command).await?.wait().await;
        std::io::stdout().flush()?;
        if options.stats && options.repeat <= 1 {
            eprintln!("{outcome:?}");
        }
        code = if outcome.timed_out { 124 } else { outcome.status.code() };
    }
    if options.repeat > 1 {
        eprintln!("{} runs, {:?} each", options.repeat, started.elapsed() / options.repeat);
    }
    Ok(code)
}

fn parse() -> Result<Options, Failure> {
    let mut options = Options::default();
    let mut args = std::env::args().skip(1).peekable();
    while let Some(argument) = args.peek().cloned() {
        if !argument.starts_with('-') {
            break;
        }
        args.next();
        if argument == "--" {
            break;
        }
        let mut value = || args.next().ok_or(USAGE);
        match argument.as_str() {
            "--module" => {
                let (name, path) = pair(value()?, '=')?;
                options.modules.push((name.leak(), path.into()));
            }
            "--applets" => {
                for applet in value()?.split(',') {
                    let (module, name) = pair(applet.to_owned(), ':')?;
                    options.applets.push((module.leak(), name.leak()));
                }
            }
            "--copy" => {
                let (file, path) = pair(value()?, ':')?;
                options.copies.push((file.into(), path));
            }
            "--mount" => {
                let (host, path) = pair(value()?, ':')?;
                let read_only = path.ends_with(":ro");
                options.mounts.push((host.into(), path.trim_end_matches(":ro").into(), read_only));
            }
            "--cwd" => options.cwd = Some(value()?),
            "--env" => {
                let (name, value) = pair(value()?, '=')?;
                options.env.push((name.into(), value.into()));
            }
            "--timeout" => options.timeout = Some(Duration::from_secs_f64(value()?.parse()?)),
            "--seed" => options.seed = Some(value()?.parse()?),
            "--fuel" => options.fuel = Some(value()?.parse()?),
            "--repeat" => options.repeat = value()?.parse()?,
            "--empty-stdin" => options.empty_stdin = true,
            "--stats" => options.stats = true,
            _ => return Err(USAGE.into()),
        }
    }
    options.argv = args.map(String::into_bytes).collect();
    Ok(options)
}

fn pair(text: String, separator: char) -> Result<(String, String), Failure> {
    let (left, right) = text.split_once(separator).ok_or(USAGE)?;
    Ok((left.into(), right.into()))
}

fn environment(options: &Options, cwd: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let defaults: [(&str, &[u8]); 7] = [
        ("PATH", b"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
        ("HOME", b"/home/user"),
        ("USER", b"user"),
        ("LOGNAME", b"user"),
        ("LANG", b"C.UTF-8"),
        ("SHELL", b"/bin/bash"),
        ("PWD", cwd),
    ];
    let mut all: Vec<(Vec<u8>, Vec<u8>)> =
        defaults.iter().map(|(name, value)| (name.as_bytes().to_vec(), value.to_vec())).collect();
    all.extend(options.env.iter().cloned());
    all
}

/// Standard input of the host, read by a thread of its own. A terminal is not read.
fn stdin() -> Stdin {
    if std::io::IsTerminal::is_terminal(&std::io::stdin()) {
        return Stdin::Empty;
    }
    let (sender, receiver) = tokio::sync::mpsc::channel(4);
    std::thread::spawn(move || {
        let mut buffer = vec![0; 65536];
        while let Ok(count @ 1..) = std::io::stdin().read(&mut buffer) {
            if sender.blocking_send(bytes::Bytes::copy_from_slice(&buffer[..count])).is_err() {
                return;
            }
        }
    });
    Stdin::Stream(receiver)
}

fn namespace(options: &Options) -> Result<Namespace, Failure> {
    let namespace = Namespace::new(Arc::new(MemoryFs::new()), MountOptions::default());
    let (root, cx) = (namespace.root(), Context::ROOT);
    let directories =
        ["/usr", "/usr/bin", "/etc", "/dev", "/proc", "/home", "/home/user", "/tmp", "/workspace"];
    for directory in directories {
        namespace.create_dir(&cx, &root, directory.as_bytes(), 0o777)?;
    }
    namespace.symlink(&cx, b"usr/bin", &root, b"/bin")?;
    let devices = [("null", 3), ("zero", 5), ("full", 7), ("random", 8), ("urandom", 9)];
    for (name, minor) in devices {
        namespace.make_device(&cx, &root, format!("/dev/{name}").as_bytes(), 0x100 | minor, 0o666)?;
    }
    namespace.make_device(&cx, &root, b"/dev/tty", 0x500, 0o666)?;
    for (link, target) in [
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
    ] {
        namespace.symlink(&cx, target.as_bytes(), &root, format!("/dev/{link}").as_bytes())?;
    }
    let files: [(&str, &[u8]); 4] = [
        ("/etc/passwd", b"root:x:0:0:root:/root:/bin/bash\nuser:x:1000:1000:user:/home/user:/bin/bash\n"),
        ("/etc/group", b"root:x:0:\nuser:x:1000:\n"),
        ("/etc/hostname", b"sandbox\n"),
        ("/etc/os-release", b"NAME=sandshell\nID=sandshell\n"),
    ];
    for (path, bytes) in files {
        write(&namespace, path, bytes, 0o644)?;
    }
    for (module, applet) in &options.applets {
        write(&namespace, &format!("/usr/bin/{applet}"), &command_file(module, applet), 0o755)?;
    }
    for (file, path) in &options.copies {
        write(&namespace, path, &std::fs::read(file)?, 0o755)?;
    }
    for (host, path, read_only) in &options.mounts {
        let access = if *read_only { HostAccess::ReadOnly } else { HostAccess::ReadWrite };
        let directory = HostDir::open(host, access)?;
        namespace.mount(path.as_bytes(), Arc::new(directory), MountOptions { read_only: *read_only })?;
    }
    Ok(namespace)
}

fn write(namespace: &Namespace, path: &str, bytes: &[u8], mode: u32) -> Result<(), Failure> {
    let how = OpenOptions { mode, ..OpenOptions::WRITE };
    let opened = namespace.open(&Context::ROOT, &namespace.root(), path.as_bytes(), &how)?;
    let Opened::File { file, .. } = opened else { return Err("not a file".into()) };
    file.write_at(bytes, 0)?;
    Ok(())
}
