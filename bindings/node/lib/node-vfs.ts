/**
 * In place of `@langchain/node-vfs`: change the import, and commands run in the sandbox instead of on the host.
 *
 * In that package, `/src/a.ts` and `src/a.ts` are the same file. Here the files are in `/workspace`, and each
 * top-level name has a link in `/`, so that both paths still work.
 */

import { randomUUID } from "node:crypto";
import { SandboxError } from "./errors.js";
import {
  SandshellSandbox,
  type EditResult,
  type ExecuteResponse,
  type FileData,
  type FileDownloadResponse,
  type FileInfo,
  type FileUploadResponse,
  type ReadResult,
  type WriteResult,
} from "./deepagents.js";
import { Sandbox, type FileInfo as Info } from "./sandbox.js";

export interface VfsSandboxOptions {
  /** Accepted without effect, as in that package. */
  mountPath?: string;
  initialFiles?: Record<string, string | Uint8Array>;
  /** The timeout of a command, in milliseconds; 30 seconds by default. */
  timeout?: number;
}

export type VfsSandboxErrorCode =
  | "NOT_INITIALIZED"
  | "ALREADY_INITIALIZED"
  | "COMMAND_TIMEOUT"
  | "COMMAND_FAILED"
  | "FILE_OPERATION_FAILED"
  | "INITIALIZATION_FAILED"
  | "NOT_SUPPORTED";

export class VfsSandboxError extends SandboxError {
  override name = "VfsSandboxError";

  constructor(
    message: string,
    readonly code: VfsSandboxErrorCode,
    override readonly cause?: Error,
  ) {
    super(message, code.toLowerCase());
  }

  static isInstance(error: unknown): error is VfsSandboxError {
    return error instanceof VfsSandboxError;
  }
}

const WORKSPACE = "/workspace";
const DEFAULT_TIMEOUT = 30_000;
const MAX_OUTPUT = 1024 * 1024;

export class VfsSandbox {
  readonly #id = `vfs-sandbox-${randomUUID()}`;
  readonly #options: VfsSandboxOptions;
  #backend: SandshellSandbox | undefined;
  /** Names in `/` that belong to the system. */
  #system = new Set<string>();
  #linked = new Set<string>();

  constructor(options: VfsSandboxOptions = {}) {
    this.#options = options;
  }

  static async create(options?: VfsSandboxOptions): Promise<VfsSandbox> {
    const sandbox = new VfsSandbox(options);
    await sandbox.initialize();
    return sandbox;
  }

  async initialize(): Promise<void> {
    if (this.#backend) throw new VfsSandboxError("the sandbox is running already", "ALREADY_INITIALIZED");
    try {
      const sandbox = await Sandbox.create({
        workdir: WORKSPACE,
        timeout: this.#options.timeout ?? DEFAULT_TIMEOUT,
        maxOutput: MAX_OUTPUT,
      });
      this.#system = new Set((await sandbox.ls("/")).map(name));
      this.#backend = new SandshellSandbox(sandbox);
    } catch (cause) {
      throw new VfsSandboxError("the sandbox could not be made", "INITIALIZATION_FAILED", cause as Error);
    }
    const files = Object.entries(this.#options.initialFiles ?? {});
    const bytes = (content: string | Uint8Array) => (typeof content === "string" ? Buffer.from(content) : content);
    const answers = await this.uploadFiles(files.map(([path, content]) => [rooted(path), bytes(content)]));
    const failed = answers.find((answer) => answer.error !== null);
    if (failed) {
      await this.stop();
      throw new VfsSandboxError(`${failed.path}: ${failed.error}`, "INITIALIZATION_FAILED");
    }
  }

  get id(): string {
    return this.#id;
  }

  /** The sandbox behind it, for what `@langchain/node-vfs` does not offer. */
  get instance(): Sandbox {
    return this.#running().sandbox;
  }

  get workingDirectory(): string {
    return WORKSPACE;
  }

  get isRunning(): boolean {
    return this.#backend !== undefined;
  }

  /** There is no other mode: nothing runs on the host. */
  get isVfsMode(): boolean {
    return true;
  }

  async execute(command: string): Promise<ExecuteResponse> {
    const { sandbox } = this.#running();
    await this.#link(sandbox);
    const { output, exitCode, truncated, timedOut } = await sandbox.execute(command);
    // Files that a command created in `/` itself stay there and are not in the workspace.
    for (const entry of await sandbox.ls("/")) {
      if (!this.#linked.has(name(entry))) this.#system.add(name(entry));
    }
    if (timedOut) return { output: `${output}\n[Command timed out]`, exitCode: null, truncated };
    return { output, exitCode, truncated };
  }

  async ls(path: string): Promise<{ error?: string; files?: FileInfo[] }> {
    const place = this.#place(path);
    const answer = await this.#running().ls(place);
    if (!answer.files) return answer;
    return { files: answer.files.map((file) => ({ ...file, path: back(file.path, place, path) })) };
  }

  async read(filePath: string, offset = 0, limit = 500): Promise<ReadResult> {
    return said(await this.#running().read(this.#place(filePath), offset, limit), this.#place(filePath), filePath);
  }

  async readRaw(filePath: string): Promise<{ error?: string; data?: FileData }> {
    return said(await this.#running().readRaw(this.#place(filePath)), this.#place(filePath), filePath);
  }

  async write(filePath: string, content: string): Promise<WriteResult> {
    return said(await this.#running().write(this.#place(filePath), content), this.#place(filePath), filePath);
  }

  async edit(filePath: string, oldString: string, newString: string, replaceAll = false): Promise<EditResult> {
    const place = this.#place(filePath);
    return said(await this.#running().edit(place, oldString, newString, replaceAll), place, filePath);
  }

  async delete(filePath: string): Promise<WriteResult> {
    return said(await this.#running().delete(this.#place(filePath)), this.#place(filePath), filePath);
  }

  async grep(
    pattern: string,
    path: string | null = "/",
    glob: string | null = null,
    maxCount: number | null = null,
  ): Promise<{ error?: string; matches?: { path: string; line: number; text: string }[]; truncated?: boolean }> {
    const asked = path || "/";
    const place = this.#place(asked);
    const answer = await this.#running().grep(pattern, place, glob, maxCount);
    if (!answer.matches) return answer;
    return { ...answer, matches: answer.matches.map((one) => ({ ...one, path: back(one.path, place, asked) })) };
  }

  async glob(pattern: string, path = "/"): Promise<{ error?: string; files?: FileInfo[]; truncated?: boolean }> {
    return this.#running().glob(pattern, this.#place(path));
  }

  async uploadFiles(files: [string, Uint8Array][]): Promise<FileUploadResponse[]> {
    const answers = await this.#running().uploadFiles(files.map(([path, content]) => [this.#place(path), content]));
    return answers.map(({ error }, index) => ({ path: files[index]?.[0] ?? "", error }));
  }

  async downloadFiles(paths: string[]): Promise<FileDownloadResponse[]> {
    const answers = await this.#running().downloadFiles(paths.map((path) => this.#place(path)));
    return answers.map((answer, index) => ({ ...answer, path: paths[index] ?? "" }));
  }

  async stop(): Promise<void> {
    const backend = this.#backend;
    this.#backend = undefined;
    this.#linked.clear();
    await backend?.close();
  }

  async close(): Promise<void> {
    await this.stop();
  }

  #running(): SandshellSandbox {
    if (!this.#backend) throw new VfsSandboxError("the sandbox is not running: call initialize()", "NOT_INITIALIZED");
    return this.#backend;
  }

  /** The real path of a path: below the workspace, unless its first name belongs to the system. */
  #place(path: string): string {
    const clean = path.replace(/\/{2,}/g, "/").replace(/^(\.\/)+/, "");
    if (!clean.startsWith("/")) return clean === "" || clean === "." ? WORKSPACE : `${WORKSPACE}/${clean}`;
    if (this.#system.has(clean.split("/")[1] ?? "")) return clean;
    return clean === "/" ? WORKSPACE : WORKSPACE + clean;
  }

  /** Creates the links in `/` for all top-level names of the workspace. */
  async #link(sandbox: Sandbox): Promise<void> {
    const isNew = (name: string) => !this.#system.has(name) && !this.#linked.has(name);
    const names = (await sandbox.ls(WORKSPACE)).map(name).filter(isNew);
    if (names.length === 0) return;
    const quoted = names.map((name) => `'${WORKSPACE}/${name.replaceAll("'", "'\\''")}'`);
    await sandbox.execute(`ln -s -t / -- ${quoted.join(" ")}`);
    for (const name of names) this.#linked.add(name);
  }
}

/** A backend factory for `createDeepAgent`: every call creates a sandbox. */
export function createVfsSandboxFactory(options?: VfsSandboxOptions): () => Promise<VfsSandbox> {
  return () => VfsSandbox.create(options);
}

/** A backend factory for an existing sandbox. */
export function createVfsSandboxFactoryFromSandbox(sandbox: VfsSandbox): () => VfsSandbox {
  return () => sandbox;
}

function name(entry: Info): string {
  return entry.path.slice(entry.path.lastIndexOf("/") + 1);
}

function rooted(path: string): string {
  return path.startsWith("/") ? path : `/${path}`;
}

/** Translates a path below `place` to one below the requested path. */
function back(path: string, place: string, asked: string): string {
  const clean = asked === "." || asked === "" ? "" : asked.replace(/\/+$/, "");
  return path.startsWith(place) ? clean + path.slice(place.replace(/\/+$/, "").length) : path;
}

/** An answer about a file, with the requested path. */
function said<T extends { path?: string; error?: string }>(answer: T, place: string, asked: string): T {
  const told = { ...answer };
  if (told.path !== undefined) told.path = asked;
  if (told.error !== undefined) told.error = told.error.replaceAll(place, asked);
  return told;
}
