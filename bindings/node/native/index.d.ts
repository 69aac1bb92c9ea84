/** What the native part offers; `lib/` is the package's interface. */

export type ExecuteAnswer = [
  exitCode: number | null | undefined,
  /**
   * Standard output, standard error, and both as they came, which may begin where standard output does; a string, if it
   * is short text that all went to standard output.
   */
  bytes: Buffer | string,
  stdoutEnd: number,
  stderrEnd: number,
  outputStart: number,
  truncated: boolean,
  timedOut: boolean,
  limits: { kind: string; message: string }[] | null | undefined,
  duration: number,
];

export interface SessionAnswer {
  result: ExecuteAnswer;
  background: Buffer;
  restarted?: string;
  ended: boolean;
}

export interface ScreenAnswer {
  text: string;
  rows: number;
  columns: number;
  cursorRow: number;
  cursorColumn: number;
  title: string;
  settled: boolean;
  ended?: number;
  restarted?: string;
}

export interface ReadAnswer {
  kind: "text" | "binary" | "empty" | "no_lines";
  text?: string;
  content?: Buffer;
  startLine?: number;
  endLine?: number;
  totalLines?: number;
  nextOffset?: number;
  truncated: boolean;
}

export interface FilesAnswer {
  /** With a NUL after each. */
  paths: string;
  /** Three for each: 1 for a directory plus 2 for a symbolic link, the size, and milliseconds since 1970 or NaN. */
  facts: Float64Array;
}

export interface GrepAnswer {
  matches: { path: string; line: number; text: string }[];
  truncated: boolean;
}

export interface GlobAnswer {
  matches: FilesAnswer;
  truncation?: "budget" | "unreadable";
}

export interface DownloadAnswer {
  content?: Buffer;
  error?: string;
}

/** The directories of packs that are there: this package's own, and those of installed `sandshell-pack-NAME`. */
export const packDirectories: string[];

export class NativeSnapshot {
  private constructor();
  readonly id: string;
  delete(): Promise<void>;
}

export interface ProviderAnswer {
  name: string;
  kind: string;
  missing?: string;
  workingDir?: string;
  capabilities: string[];
}

export interface PageAnswer {
  sandboxes: {
    id: string;
    state: "starting" | "running" | "paused" | "ended" | "unknown";
    labels: Record<string, string>;
    createdAt?: number;
  }[];
  next?: string;
}

export class NativeProvider {
  private constructor();
  static local(options: object): NativeProvider;
  static named(name: string, params: object, variables: Record<string, string>): Promise<NativeProvider>;
  static known(variables: Record<string, string>): Promise<ProviderAnswer[]>;
  static replay(file: string, inOrder: boolean, secrets: object): NativeProvider;
  record(file: string, secrets: object): NativeProvider;
  readonly name: string;
  readonly workingDir: string;
  readonly capabilities: string[];
  create(options: object): Promise<NativeSandbox>;
  list(labels: Record<string, string>, cursor?: string): Promise<PageAnswer>;
  delete(id: string): Promise<void>;
  deleteSnapshot(id: string): Promise<void>;
  snapshot(id: string, name?: string): Promise<NativeSnapshot>;
  restore(id: string, snapshot: string): Promise<void>;
  fork(id: string): Promise<string>;
  pause(id: string): Promise<void>;
  resume(id: string): Promise<void>;
  setTtl(id: string, seconds?: number): Promise<void>;
  export(id: string, file: string, state?: string): Promise<void>;
  import(file: string, labels: Record<string, string>): Promise<string>;
}

export class NativeCancel {
  constructor();
  cancel(): void;
}

export class NativeSandbox {
  private constructor();
  /** Of JSON. */
  static create(options: string): Promise<NativeSandbox> | NativeSandbox;
  static fromSnapshot(snapshot: NativeSnapshot): Promise<NativeSandbox>;
  readonly id: string;
  readonly workdir: string;
  execute(
    command: string,
    timeout?: number,
    cwd?: string,
    env?: Record<string, string>,
    stdin?: Uint8Array,
    maxOutput?: number,
    cancel?: NativeCancel,
  ): Promise<ExecuteAnswer> | ExecuteAnswer;
  read(path: string, offset: number, limit: number): Promise<ReadAnswer>;
  write(path: string, content: Uint8Array, createNew: boolean): Promise<void>;
  edit(path: string, old: string, text: string, replaceAll: boolean): Promise<number>;
  ls(path: string): Promise<FilesAnswer>;
  grep(pattern: string, path: string, glob?: string, maxCount?: number): Promise<GrepAnswer>;
  glob(pattern: string, path: string, directories: boolean): Promise<GlobAnswer>;
  delete(path: string): Promise<void>;
  upload(files: { path: string; content: Uint8Array }[]): Promise<(string | null | undefined)[]>;
  download(paths: string[]): Promise<DownloadAnswer[]>;
  mount(mount: object): void;
  diff(): Promise<Buffer>;
  apply(): Promise<number>;
  snapshot(name?: string): Promise<NativeSnapshot>;
  restore(snapshot: NativeSnapshot): Promise<void>;
  restoreNamed(snapshot: string): Promise<void>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  setTtl(seconds?: number): Promise<void>;
  fork(): Promise<NativeSandbox>;
  executeInSession(
    session: string,
    options: { command: string; timeout?: number; stdin?: Uint8Array; maxOutput?: number },
    cancel?: NativeCancel,
  ): Promise<SessionAnswer>;
  sessionOutput(session: string): Promise<Buffer>;
  useTerminal(session: string, keys: Uint8Array, size: number[] | undefined, wait: number, until?: string): Promise<ScreenAnswer>;
  sessions(): Promise<string[]>;
  endSession(session: string): Promise<void>;
  keep(): void;
  close(): Promise<void> | null;
}
