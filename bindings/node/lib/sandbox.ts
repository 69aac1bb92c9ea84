/** The sandbox. */

import { NativeCancel, NativeSandbox, call, callNow, type ExecuteAnswer, type FilesAnswer, type NativeSnapshot } from "./native.js";
import { createOptions, isKept, keptOptions, nativeMount, nativeOptions, refuseUnknown, type MountMode, type SandboxOptions } from "./options.js";
import { bytes, count, flag, nameOf, namesOf, number, text, wrong } from "./arguments.js";
import { fromNative } from "./text.js";
import { Provider } from "./provider.js";
import { SandboxError } from "./errors.js";

export interface ExecuteOptions {
  /** The timeout in milliseconds; zero means no limit. Waiting for other commands of the sandbox counts. */
  timeout?: number;
  /** The working directory. Relative paths start at `workdir`. */
  cwd?: string;
  env?: Record<string, string>;
  stdin?: string | Uint8Array;
  maxOutput?: number;
  /** Aborting it stops the command; `execute` then throws the signal's reason. */
  signal?: AbortSignal;
}

/** The result of a command. */
export interface ExecuteResult {
  /** 0 to 255, 128 + n after signal n, 124 after a timeout; `null` if unknown. */
  exitCode: number | null;
  /** Standard output and standard error together, in the order in which they were written. */
  output: string;
  stdout: string;
  stderr: string;
  outputBytes: Buffer;
  stdoutBytes: Buffer;
  stderrBytes: Buffer;
  /** Whether the command wrote more than was kept. */
  truncated: boolean;
  timedOut: boolean;
  /** Every limit that affected this answer. */
  limits: { kind: string; message: string }[];
  /** How long it ran, in milliseconds. */
  duration: number;
}

/** A page of a text file, or all of a binary one. */
export interface ReadResult {
  kind: "text" | "binary" | "empty" | "no_lines";
  /** The lines; undefined for a binary file. */
  text?: string;
  /** The bytes of a binary file. */
  content?: Buffer;
  startLine?: number;
  endLine?: number;
  totalLines?: number;
  nextOffset?: number;
  truncated: boolean;
}

export interface FileInfo {
  path: string;
  isDir: boolean;
  isSymlink: boolean;
  size: number;
  modifiedAt?: Date;
}

export interface GrepMatch {
  path: string;
  line: number;
  text: string;
}

export interface UploadResult {
  path: string;
  error: string | null;
}

export interface DownloadResult {
  path: string;
  content: Buffer | null;
  error: string | null;
}

/**
 * A snapshot of a sandbox's files. A snapshot of a sandbox in memory exists as long as something refers to it. One at a
 * cloud or on disk exists until it is deleted, and its `id` or name can be passed to `Sandbox.create({ snapshot })`.
 */
export class Snapshot {
  /** @internal */
  constructor(readonly native: NativeSnapshot) {}

  /** The provider's id for it. */
  get id(): string {
    return this.native.id;
  }

  /** Deletes it. */
  async delete(): Promise<void> {
    await call(() => this.native.delete());
  }
}

/**
 * A sandbox, in this process or of another provider. No method blocks the event loop.
 *
 * Each `execute` starts a new shell: the next one sees its files, but not its working directory and variables.
 * Relative paths start at `workdir`. In names that are not UTF-8, lone surrogates from U+DC80 to U+DCFF represent
 * the invalid bytes. In a local sandbox, one command for each eight of its `processes` runs at a time (32 by
 * default); the others wait for their turn. The sandbox ends when it is closed or nothing refers to it; a sandbox
 * that was found by its `id` does not.
 *
 * A local sandbox with a `dataDir`, an `id`, `labels`, a `ttl`, a `hardTtl` or a snapshot's name is kept on disk: what
 * a call did is stored when the call has returned, and `keep` lets it outlive the process. It is this process's until
 * its last object is closed.
 */
export class Sandbox {
  readonly #native: NativeSandbox;
  #closed = false;

  private constructor(native: NativeSandbox) {
    this.#native = native;
  }

  /** Creates a sandbox, or returns the existing one with the `id`. */
  static async create(options: SandboxOptions = {}): Promise<Sandbox> {
    const sandbox = new Sandbox(await made(options));
    if (!options.files) return sandbox;
    const failed = (await sandbox.uploadFiles(options.files)).find((answer) => answer.error !== null);
    if (!failed) return sandbox;
    await sandbox.close();
    throw new SandboxError(`${failed.path}: ${failed.error}`, "invalid_request");
  }

  /** Creates a sandbox with the files of a snapshot and the options of the original sandbox. */
  static async fromSnapshot(snapshot: Snapshot): Promise<Sandbox> {
    return new Sandbox(await call(() => NativeSandbox.fromSnapshot(snapshot.native)));
  }

  /** An id that no other sandbox of this process has. One that is not only in memory can be found by it. */
  get id(): string {
    return this.#native.id;
  }

  /** The working directory of commands. */
  get workdir(): string {
    return fromNative(this.#native.workdir);
  }

  /** Whether it can be used, that is, until it is closed. */
  get isRunning(): boolean {
    return !this.#closed;
  }

  /**
   * Runs a bash command line and waits for its end. A command that fails or times out is an answer, not an
   * exception. If `maxOutput` is reached, each of the two streams keeps at least up to half of it.
   */
  async execute(command: string, options: ExecuteOptions = {}): Promise<ExecuteResult> {
    const run = (cancel?: NativeCancel) =>
      this.#native.execute(
        nameOf("command", command),
        options.timeout === undefined ? undefined : number("timeout", options.timeout) / 1000,
        options.cwd === undefined ? undefined : nameOf("cwd", options.cwd),
        options.env === undefined ? undefined : namesOf("env", options.env),
        options.stdin === undefined ? undefined : bytes("stdin", options.stdin),
        options.maxOutput === undefined ? undefined : count("maxOutput", options.maxOutput),
        cancel,
      );
    if (options.signal !== undefined) return executed(await cancellable(options.signal, run));
    const answer = callNow(run);
    // Awaiting what is there already would take longer than a short command.
    return executed(answer instanceof Promise ? await call(() => answer) : answer);
  }

  /**
   * The session of this name: a shell that lives, with the variables, functions, directory, jobs and history of the
   * commands before. Local sandboxes have 16 at a time.
   */
  session(name = "default"): Session {
    return new Session(this.#native, text("name", name));
  }

  /** The session of this name on a terminal: an interactive shell whose screen is text. */
  terminal(name = "terminal", size: { rows?: number; columns?: number } = {}): Terminal {
    return new Terminal(this.#native, text("name", name), size.rows ?? 24, size.columns ?? 80);
  }

  /** The names of the sessions that were begun and not ended. */
  sessions(): Promise<string[]> {
    return call(() => this.#native.sessions());
  }

  /** Reads lines of a text file, or all of a binary one. */
  async read(path: string, options: { offset?: number; limit?: number } = {}): Promise<ReadResult> {
    return call(() =>
      this.#native.read(this.#path(path), count("offset", options.offset ?? 0), count("limit", options.limit ?? 2000)),
    );
  }

  /** Writes a whole file and creates missing parent directories. With `createNew`, an existing file is an error. */
  async write(path: string, content: string | Uint8Array, options: { createNew?: boolean } = {}): Promise<void> {
    await call(() => this.#native.write(this.#path(path), bytes("content", content), flag(options.createNew)));
  }

  /** Replaces literal text, either the only occurrence or all; returns how often it was replaced. */
  async edit(path: string, old: string, replacement: string, options: { replaceAll?: boolean } = {}): Promise<number> {
    return call(() =>
      this.#native.edit(this.#path(path), text("old", old), text("replacement", replacement), flag(options.replaceAll)),
    );
  }

  /** The entries of a directory, sorted by name. */
  async ls(path = "."): Promise<FileInfo[]> {
    return infos(await call(() => this.#native.ls(this.#path(path))));
  }

  /** Finds literal text in files, recursively. */
  async grep(
    pattern: string,
    path = ".",
    options: { glob?: string; maxCount?: number } = {},
  ): Promise<{ matches: GrepMatch[]; truncated: boolean }> {
    const { matches, truncated } = await call(() =>
      this.#native.grep(
        text("pattern", pattern),
        this.#path(path),
        options.glob === undefined ? undefined : nameOf("glob", options.glob),
        options.maxCount === undefined ? undefined : count("maxCount", options.maxCount),
      ),
    );
    return { matches: matches.map((found) => ({ ...found, path: fromNative(found.path) })), truncated };
  }

  /** Finds files by name: `*.ts` at any depth, `src/**\/*.ts` below `path`. */
  async glob(
    pattern: string,
    path = ".",
    options: { directories?: boolean } = {},
  ): Promise<{ matches: FileInfo[]; truncated: boolean }> {
    const found = await call(() => this.#native.glob(nameOf("pattern", pattern), this.#path(path), flag(options.directories)));
    return { matches: infos(found.matches), truncated: found.truncation !== undefined && found.truncation !== null };
  }

  /** Removes a file, or a directory with everything in it. */
  async delete(path: string): Promise<void> {
    await call(() => this.#native.delete(this.#path(path)));
  }

  /** Writes whole files. There is one answer for each, in the same order. */
  async uploadFiles(
    files: Record<string, string | Uint8Array> | Iterable<[string, string | Uint8Array]>,
  ): Promise<UploadResult[]> {
    const pairs = Symbol.iterator in files ? [...(files as Iterable<[string, string | Uint8Array]>)] : Object.entries(files);
    const errors = await call(() =>
      this.#native.upload(pairs.map(([path, content]) => ({ path: this.#path(path), content: bytes(`files[${JSON.stringify(path)}]`, content) }))),
    );
    return pairs.map(([path], index) => ({ path, error: errors[index] ?? null }));
  }

  /** Reads whole files. There is one answer for each, in the same order. */
  async downloadFiles(paths: string[]): Promise<DownloadResult[]> {
    const found = await call(() => this.#native.download(paths.map((path) => this.#path(path))));
    return paths.map((path, index) => ({
      path,
      content: found[index]?.content ?? null,
      error: found[index]?.error ?? null,
    }));
  }

  /** Mounts a directory of the host, or an empty directory in memory if `source` is null. */
  mount(at: string, source: string | null = null, mode: MountMode = "overlay"): void {
    callNow(() => this.#native.mount(nativeMount(at, source === null ? null : { source, mode })));
  }

  /** Takes a snapshot of the files; for local sandboxes this copies nothing. Not every provider supports a `name`. */
  async snapshot(name?: string): Promise<Snapshot> {
    return new Snapshot(await call(() => this.#native.snapshot(name)));
  }

  /**
   * Restores a snapshot of this sandbox, or of one that it was forked from, and ends all processes. A snapshot's id or
   * name is enough for those that outlive this process; a sandbox on disk can also go back to one of its own states,
   * which is a number.
   */
  async restore(snapshot: Snapshot | string | number): Promise<void> {
    if (snapshot instanceof Snapshot) return call(() => this.#native.restore(snapshot.native));
    if (typeof snapshot !== "string" && typeof snapshot !== "number") throw wrong("snapshot", "a Snapshot, a name or a number", snapshot);
    return call(() => this.#native.restoreNamed(String(snapshot)));
  }

  /** Stops the sandbox and keeps its files, until `resume`. One on disk is also resumed by its next call. */
  async pause(): Promise<void> {
    await call(() => this.#native.pause());
  }

  /** Lets it run again. It is no error if it does. */
  async resume(): Promise<void> {
    await call(() => this.#native.resume());
  }

  /** Sets the milliseconds after which it ends by itself, or is only on disk; `null`: never. */
  async setTtl(ttl: number | null): Promise<void> {
    await call(() => this.#native.setTtl(ttl === null ? undefined : number("ttl", ttl) / 1000));
  }

  /**
   * Creates a sandbox with the same files. Later changes to either do not affect the other. For local sandboxes
   * this copies nothing.
   */
  async fork(): Promise<Sandbox> {
    return new Sandbox(await call(() => this.#native.fork()));
  }

  /** The changes in overlays, as a patch for `git apply`. */
  async diff(): Promise<string> {
    return (await call(() => this.#native.diff())).toString();
  }

  /**
   * Applies the changes in overlays to the host's directories; returns how many there were. If a directory is no
   * longer as it was when the overlay first changed it, nothing is written and the error's `kind` is `conflict`.
   * Changes that cannot be completed are undone; if the process was killed, the next one that mounts such a
   * directory undoes them.
   */
  async apply(): Promise<number> {
    return call(() => this.#native.apply());
  }

  /**
   * Lets the sandbox outlive this object: it no longer ends when it is closed, and can be found by its `id` if the
   * provider supports that.
   */
  keep(): void {
    this.#native.keep();
  }

  /**
   * Ends the sandbox, unless it was found by its `id` or `keep` was called: its processes are killed and its files
   * are deleted. One on disk that does not end can then be used by other processes; what still runs in it ends.
   */
  async close(): Promise<void> {
    this.#closed = true;
    await call(() => this.#native.close());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #path(path: string): string {
    const name = nameOf("path", path);
    return name.startsWith("/") ? name : `${this.#native.workdir}/${name}`;
  }
}

/** Runs a call that is cancelled when the signal is aborted. */
async function cancellable<T>(
  signal: AbortSignal | undefined,
  work: (cancel: NativeCancel | undefined) => Promise<T> | T,
): Promise<T> {
  if (signal === undefined) return call(() => work(undefined));
  if (!(signal instanceof AbortSignal)) throw wrong("signal", "an AbortSignal", signal);
  signal.throwIfAborted();
  const cancel = new NativeCancel();
  const running = listeners(signal);
  running.add(cancel);
  try {
    return await call(() => work(cancel));
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    running.delete(cancel);
  }
}

/**
 * The calls to cancel when a signal is aborted. There is one listener for all, because Node warns of a leak when a
 * signal has many.
 */
const cancels = new WeakMap<AbortSignal, Set<NativeCancel>>();

function listeners(signal: AbortSignal): Set<NativeCancel> {
  const known = cancels.get(signal);
  if (known) return known;
  const made = new Set<NativeCancel>();
  cancels.set(signal, made);
  signal.addEventListener("abort", () => made.forEach((cancel) => cancel.cancel()), { once: true });
  return made;
}

/** The answer to a command in a session. */
export interface SessionResult {
  /** What the command did. */
  result: ExecuteResult;
  /** What jobs wrote between the last command and this one. */
  background: string;
  /** Why the shell had to be started anew for this command. */
  restarted: string | null;
  /** The shell ended with this command: the next one gets a new shell. */
  ended: boolean;
}

/**
 * A shell that lives: each command finds the variables, functions, directory, jobs and history of those before. A
 * session is its name; its shell is started by its first command. One command of a session runs at a time.
 */
export class Session {
  readonly #native: NativeSandbox;

  /** @internal */
  constructor(
    native: NativeSandbox,
    readonly name: string,
  ) {
    this.#native = native;
  }

  /**
   * Runs a command and waits for its end, or until the timeout: then it is interrupted, as by Ctrl-C, and its shell is
   * killed if it goes on.
   */
  async execute(command: string, options: Omit<ExecuteOptions, "cwd" | "env"> = {}): Promise<SessionResult> {
    for (const own of ["cwd", "env"] as const) {
      if (own in options) throw wrong(own, "left out: a session has a directory and variables of its own", options[own as never]);
    }
    const answer = await cancellable(options.signal, (cancel) =>
      this.#native.executeInSession(
        this.name,
        {
          command: nameOf("command", command),
          timeout: options.timeout === undefined ? undefined : number("timeout", options.timeout) / 1000,
          stdin: options.stdin === undefined ? undefined : bytes("stdin", options.stdin),
          maxOutput: options.maxOutput === undefined ? undefined : count("maxOutput", options.maxOutput),
        },
        cancel,
      ),
    );
    return {
      result: executed(answer.result),
      background: answer.background.toString(),
      restarted: answer.restarted ?? null,
      ended: answer.ended,
    };
  }

  /** What jobs wrote since the last answer. */
  async output(): Promise<string> {
    return (await call(() => this.#native.sessionOutput(this.name))).toString();
  }

  /** Ends the shell with all that it started. */
  async close(): Promise<void> {
    await call(() => this.#native.endSession(this.name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** What a terminal shows. */
export interface Screen {
  /** Its lines, without the blanks at their ends and the empty lines at the end. */
  text: string;
  rows: number;
  columns: number;
  /** Where the cursor is, from 0. */
  cursor: { row: number; column: number };
  /** The title that a program has set. */
  title: string;
  /** What was waited for came in time. */
  settled: boolean;
  /** The status, if the shell has ended: the next call gets a new one. */
  ended: number | null;
  /** Why the shell had to be started anew for this call. */
  restarted: string | null;
}

/**
 * A session on a terminal: an interactive shell with prompts, a line editor and job control, whose screen is text. A
 * terminal is its name; its shell is started by the first call. One call of a terminal goes on at a time.
 */
export class Terminal {
  readonly #native: NativeSandbox;
  #size: [number, number] | undefined;

  /** @internal */
  constructor(
    native: NativeSandbox,
    readonly name: string,
    rows: number,
    columns: number,
  ) {
    this.#native = native;
    this.#size = [count("rows", rows), count("columns", columns)];
  }

  /**
   * Types keys (`"\r"` is Enter, `"\x03"` Ctrl-C, `"\x1b[A"` the up arrow), and waits up to `wait` milliseconds (5000)
   * until the screen shows `until`, or until nothing was written for a moment.
   */
  async type(keys: string | Uint8Array = "", options: { wait?: number; until?: string } = {}): Promise<Screen> {
    const wait = options.wait === undefined ? 5 : number("wait", options.wait) / 1000;
    const until = options.until === undefined ? undefined : text("until", options.until);
    const typed = bytes("keys", keys);
    // Only once: another terminal of this name may have resized it since.
    const size = this.#size;
    this.#size = undefined;
    const found = await call(() => this.#native.useTerminal(this.name, typed, size, wait, until));
    return {
      text: found.text,
      rows: found.rows,
      columns: found.columns,
      cursor: { row: found.cursorRow, column: found.cursorColumn },
      title: found.title,
      settled: found.settled,
      ended: found.ended ?? null,
      restarted: found.restarted ?? null,
    };
  }

  /** What it shows now. */
  screen(): Promise<Screen> {
    return this.type("", { wait: 0 });
  }

  /** Gives it another size, which its programs are told. */
  resize(rows: number, columns: number): Promise<Screen> {
    this.#size = [count("rows", rows), count("columns", columns)];
    return this.type();
  }

  /** Ends the shell with all that it started. */
  async close(): Promise<void> {
    await call(() => this.#native.endSession(this.name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

async function made(options: SandboxOptions): Promise<NativeSandbox> {
  refuseUnknown(options);
  const { provider = "local" } = options;
  if (provider === "local" && !isKept(options)) {
    return call(() => NativeSandbox.create(JSON.stringify(nativeOptions(options))));
  }
  if (provider === "local") {
    const [here, own] = keptOptions(options);
    const kept = await Provider.named("local", here);
    return call(() => kept.native.create(createOptions(own)));
  }
  const asked = typeof provider === "string" ? await Provider.named(provider, options.params) : provider;
  return call(() => asked.native.create(createOptions(options)));
}

function infos({ paths, facts }: FilesAnswer): FileInfo[] {
  const names = fromNative(paths).split("\0");
  // The text after the last NUL is not a name.
  names.pop();
  return names.map((path, index) => {
    const [kind, size, modifiedAt] = [facts[3 * index]!, facts[3 * index + 1]!, facts[3 * index + 2]!];
    const info: FileInfo = { path, isDir: (kind & 1) !== 0, isSymlink: (kind & 2) !== 0, size };
    if (!Number.isNaN(modifiedAt)) info.modifiedAt = new Date(modifiedAt);
    return info;
  });
}

const NOTHING = Buffer.alloc(0);

function executed(answer: ExecuteAnswer): ExecuteResult {
  const [code, all, stdoutEnd, stderrEnd, outputStart, truncated, timedOut, reached, duration] = answer;
  const exitCode = code ?? null;
  const limits = reached ?? [];
  if (typeof all === "string") {
    let bytes: Buffer | undefined;
    return {
      exitCode,
      output: all,
      stdout: all,
      stderr: "",
      get outputBytes() {
        return (bytes ??= Buffer.from(all));
      },
      get stdoutBytes() {
        return (bytes ??= Buffer.from(all));
      },
      stderrBytes: NOTHING,
      truncated,
      timedOut,
      limits,
      duration,
    };
  }
  const outputBytes = all.subarray(outputStart);
  const stdoutBytes = all.subarray(0, stdoutEnd);
  const stderrBytes = all.subarray(stdoutEnd, stderrEnd);
  return {
    exitCode,
    get output() {
      return outputBytes.toString();
    },
    get stdout() {
      return stdoutBytes.toString();
    },
    get stderr() {
      return stderrBytes.toString();
    },
    outputBytes,
    stdoutBytes,
    stderrBytes,
    truncated,
    timedOut,
    limits,
    duration,
  };
}
