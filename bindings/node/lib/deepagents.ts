/** sandshell for LangChain Deep Agents in JavaScript: `createDeepAgent({ backend: await SandshellSandbox.create() })`. */

import { Sandbox, type FileInfo as Info } from "./sandbox.js";
import { FileOperationError } from "./errors.js";
import { isText, mimeType } from "./mime.js";
import type { SandboxOptions } from "./options.js";

export interface ExecuteResponse {
  output: string;
  exitCode: number | null;
  truncated: boolean;
}

export type FileErrorCode = "file_not_found" | "permission_denied" | "is_directory" | "invalid_path";

export interface FileUploadResponse {
  path: string;
  error: FileErrorCode | null;
}

export interface FileDownloadResponse {
  path: string;
  content: Uint8Array | null;
  error: FileErrorCode | null;
}

export interface FileInfo {
  path: string;
  is_dir?: boolean;
  size?: number;
  modified_at?: string;
}

export interface ReadResult {
  error?: string;
  content?: string | Uint8Array;
  mimeType?: string;
  totalLines?: number;
  startLine?: number;
  endLine?: number;
  nextOffset?: number;
}

export interface FileData {
  content: string | Uint8Array;
  mimeType: string;
  created_at: string;
  modified_at: string;
}

export interface WriteResult {
  error?: string;
  path?: string;
  filesUpdate?: null;
}

export interface EditResult extends WriteResult {
  occurrences?: number;
}

export interface SandshellSandboxOptions extends SandboxOptions {
  /** The default timeout of a command, in milliseconds; 30 minutes by default, zero means no limit. */
  timeout?: number;
}

const DEFAULT_TIMEOUT = 30 * 60 * 1000;

/** Larger binary files are not passed to a model. */
const MAX_BINARY_BYTES = 10 * 1024 * 1024;

/** A sandbox of this process as a Deep Agents backend (`SandboxBackendProtocolV2`). */
export class SandshellSandbox {
  constructor(readonly sandbox: Sandbox) {}

  static async create(options: SandshellSandboxOptions = {}): Promise<SandshellSandbox> {
    return new SandshellSandbox(await Sandbox.create({ timeout: DEFAULT_TIMEOUT, ...options }));
  }

  get id(): string {
    return this.sandbox.id;
  }

  /** Whether it can be used, that is, until it is closed. */
  get isRunning(): boolean {
    return this.sandbox.isRunning;
  }

  async execute(command: string): Promise<ExecuteResponse> {
    let result;
    try {
      result = await this.sandbox.execute(command);
    } catch (error) {
      // The sandbox has ended. An exception would also end the agent's run.
      return { output: `Error: ${message(error)}`, exitCode: 1, truncated: false };
    }
    const { output, exitCode, truncated, timedOut, limits } = result;
    const notes = limits.filter(({ kind }) => kind !== "output").map(({ message }) => message);
    const text = notes.length === 0 ? output : [output.replace(/\n$/, ""), ...notes].filter(Boolean).join("\n");
    return { output: text, exitCode: timedOut ? 124 : exitCode, truncated };
  }

  async ls(path: string): Promise<{ error?: string; files?: FileInfo[] }> {
    try {
      return { files: (await this.sandbox.ls(path)).map((entry) => described(entry, entry.path)) };
    } catch (error) {
      if (reason(error) === "file_not_found") return { files: [] };
      return { error: message(error) };
    }
  }

  async read(filePath: string, offset = 0, limit = 500): Promise<ReadResult> {
    const type = mimeType(filePath);
    try {
      if (!isText(type)) return { content: await this.#whole(filePath), mimeType: type };
      const page = await this.sandbox.read(filePath, { offset: count(offset), limit: count(limit) });
      if (page.kind === "binary") {
        return { content: new Uint8Array(page.content ?? []), mimeType: "application/octet-stream" };
      }
      const { startLine, endLine, totalLines, nextOffset } = page;
      const lines = page.kind === "text" ? defined({ startLine, endLine, totalLines, nextOffset }) : {};
      return { content: page.text ?? "", mimeType: type, ...lines };
    } catch (error) {
      return { error: readError(filePath, error) };
    }
  }

  async readRaw(filePath: string): Promise<{ error?: string; data?: FileData }> {
    const type = mimeType(filePath);
    try {
      const content = await this.#whole(filePath);
      const name = filePath.slice(filePath.lastIndexOf("/") + 1);
      const entries = await this.sandbox.ls(filePath.slice(0, filePath.lastIndexOf("/")) || "/");
      const entry = entries.find((entry) => entry.path.endsWith(`/${name}`));
      const time = (entry?.modifiedAt ?? new Date()).toISOString();
      const text = isText(type) ? new TextDecoder().decode(content) : content;
      return { data: { content: text, mimeType: type, created_at: time, modified_at: time } };
    } catch (error) {
      return { error: readError(filePath, error) };
    }
  }

  /** The content of files whose extension names a binary format is base64, as in Deep Agents. */
  async write(filePath: string, content: string): Promise<WriteResult> {
    const bytes = isText(mimeType(filePath)) ? content : Buffer.from(content, "base64");
    const [answer] = await this.uploadFiles([[filePath, typeof bytes === "string" ? Buffer.from(bytes) : bytes]]);
    if (answer?.error) return { error: `Failed to write to ${filePath}: ${answer.error}` };
    return { path: filePath, filesUpdate: null };
  }

  async edit(filePath: string, oldString: string, newString: string, replaceAll = false): Promise<EditResult> {
    try {
      if (oldString === "") return await this.#fill(filePath, newString);
      const occurrences = await this.sandbox.edit(filePath, oldString, newString, { replaceAll });
      return { path: filePath, filesUpdate: null, occurrences };
    } catch (error) {
      return { error: editError(filePath, error) };
    }
  }

  async grep(
    pattern: string,
    path: string | null = "/",
    glob: string | null = null,
    maxCount: number | null = null,
  ): Promise<{ error?: string; matches?: { path: string; line: number; text: string }[]; truncated?: boolean }> {
    try {
      const options = defined({ glob: glob ?? undefined, maxCount: maxCount ?? undefined });
      return await this.sandbox.grep(pattern, path || "/", options);
    } catch (error) {
      if (reason(error) === "file_not_found") return { matches: [] };
      return { error: message(error) };
    }
  }

  /** Paths are relative to `path` and include directories. A pattern without a slash matches only in `path` itself. */
  async glob(pattern: string, path = "/"): Promise<{ error?: string; files?: FileInfo[]; truncated?: boolean }> {
    try {
      const anchored = pattern.includes("/") ? pattern : `/${pattern}`;
      const { matches, truncated } = await this.sandbox.glob(anchored, path, { directories: true });
      const below = path.endsWith("/") ? path.length : path.length + 1;
      return { files: matches.map((entry) => described(entry, entry.path.slice(below))), truncated };
    } catch (error) {
      if (reason(error) === "file_not_found") return { files: [], truncated: false };
      return { error: message(error) };
    }
  }

  async delete(filePath: string): Promise<WriteResult> {
    try {
      await this.sandbox.delete(filePath);
      return { path: filePath, filesUpdate: null };
    } catch (error) {
      return { error: message(error) };
    }
  }

  async uploadFiles(files: [string, Uint8Array][]): Promise<FileUploadResponse[]> {
    const usable = files.filter(([path]) => path.startsWith("/"));
    const answers = new Map((await this.sandbox.uploadFiles(usable)).map(({ path, error }) => [path, error]));
    return files.map(([path]) => ({ path, error: code(path, answers.get(path)) }));
  }

  async downloadFiles(paths: string[]): Promise<FileDownloadResponse[]> {
    const usable = paths.filter((path) => path.startsWith("/"));
    const answers = new Map((await this.sandbox.downloadFiles(usable)).map((answer) => [answer.path, answer]));
    return paths.map((path) => ({
      path,
      content: answers.get(path)?.content ?? null,
      error: code(path, answers.get(path)?.error),
    }));
  }

  async close(): Promise<void> {
    await this.sandbox.close();
  }

  async #whole(path: string): Promise<Uint8Array> {
    const [answer] = await this.sandbox.downloadFiles([path]);
    if (!answer?.content) throw new FileOperationError(answer?.error ?? "", answer?.error ?? "file_not_found");
    if (answer.content.length > MAX_BINARY_BYTES && !isText(mimeType(path))) {
      throw new FileOperationError("", "binary_too_large");
    }
    return new Uint8Array(answer.content);
  }

  /** In Deep Agents, an empty old text means the content of an empty file. */
  async #fill(filePath: string, content: string): Promise<EditResult> {
    const found = await this.sandbox.read(filePath, { limit: 1 });
    if (found.kind !== "empty") return { error: "oldString must not be empty unless the file is empty" };
    if (content !== "") await this.sandbox.write(filePath, content);
    return { path: filePath, filesUpdate: null, occurrences: content === "" ? 0 : 1 };
  }
}

function described(entry: Info, path: string): FileInfo {
  const info: FileInfo = { path: entry.isDir ? `${path}/` : path, is_dir: entry.isDir, size: entry.size };
  if (entry.modifiedAt) info.modified_at = written(entry.modifiedAt);
  return info;
}

/** The last formatted time. Files often have the same time, and formatting it costs more than the rest of an entry. */
let last = { time: NaN, text: "" };

function written(date: Date): string {
  const time = date.getTime();
  if (time !== last.time) last = { time, text: date.toISOString() };
  return last.text;
}

function readError(path: string, error: unknown): string {
  switch (reason(error)) {
    case "file_not_found":
      return `File '${path}' not found`;
    case "binary_too_large":
      return `File '${path}': Binary file exceeds maximum size of ${MAX_BINARY_BYTES} bytes`;
    default:
      return message(error) || `File '${path}': ${reason(error)}`;
  }
}

function editError(path: string, error: unknown): string {
  switch (reason(error)) {
    case "text_not_found":
      return `String not found in file '${path}'`;
    case "text_not_unique":
      return `Multiple occurrences found in '${path}'. Use replaceAll=true to replace all.`;
    default:
      return message(error);
  }
}

function code(path: string, error: string | null | undefined): FileErrorCode | null {
  if (!path.startsWith("/")) return "invalid_path";
  return (error ?? null) as FileErrorCode | null;
}

function reason(error: unknown): string | undefined {
  return error instanceof FileOperationError ? error.reason : undefined;
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function count(number: number): number {
  return Number.isFinite(number) ? Math.max(0, Math.floor(number)) : 0;
}

function defined<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const known = Object.entries(object).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(known) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
