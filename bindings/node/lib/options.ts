/** Options as JavaScript writes them, turned into what the native part reads. */

import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import native from "#native";

/** How a directory of the host is mounted: to be looked at, changed at once, or changed in the sandbox only. */
export type MountMode = "ro" | "rw" | "overlay";

/** A directory of the host, mounted as an overlay unless a mode is given; `null` is an empty directory in memory. */
export type MountSource = string | { source: string; mode?: MountMode } | null;

export interface SandboxOptions {
  /** The directory that commands start in; `/workspace` by default. */
  workdir?: string;
  /** Variables of every command. */
  env?: Record<string, string>;
  /** Place in the sandbox -> directory of the host. */
  mounts?: Record<string, MountSource>;
  /** Files to begin with: path -> content. */
  files?: Record<string, string | Uint8Array>;
  /** The name of the machine. */
  hostname?: string;
  /** Milliseconds a command may take that names no timeout; by default there is no limit. */
  timeout?: number;
  /** Bytes of output kept of a command; 10 MiB by default. */
  maxOutput?: number;
  /** Bytes of memory of all processes together. */
  memory?: number;
  /** Bytes of memory of one process. */
  processMemory?: number;
  /** Processes at once. */
  processes?: number;
  /** Open files of one process. */
  descriptors?: number;
  /** Instructions of one command. */
  fuel?: number;
  /** Bytes of files in memory. */
  disk?: number;
  /** Makes random numbers and the order of processes repeatable. */
  seed?: number;
  /** `real`, `virtual`, `virtual:TIME`, or a fixed time such as `2026-01-01T00:00:00Z`. */
  clock?: string;
  /** Packs by name or directory; by default all that are installed. */
  packs?: string[];
  /** Where compiled code of packs and of the user's own modules is kept. */
  cache?: string;
}

export function nativeOptions(options: SandboxOptions): object {
  const given = {
    workdir: options.workdir,
    env: options.env,
    mounts: Object.entries(options.mounts ?? {}).map(([at, source]) => nativeMount(at, source)),
    hostname: options.hostname,
    timeout: options.timeout === undefined ? undefined : options.timeout / 1000,
    max_output: options.maxOutput,
    memory: options.memory,
    process_memory: options.processMemory,
    processes: options.processes,
    descriptors: options.descriptors,
    fuel: options.fuel,
    disk: options.disk,
    seed: options.seed,
    clock: options.clock,
    packs: packs(options.packs),
    cache: options.cache ?? cache(),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

export function nativeMount(at: string, source: MountSource): object {
  if (source === null) return { at };
  if (typeof source === "string") return { at, source, mode: "overlay" };
  return { at, source: source.source, mode: source.mode ?? "overlay" };
}

/** Directories of packs; without a choice those the user has installed and those of this package. */
function packs(chosen: string[] | undefined): string[] {
  if (chosen) return chosen.map(pack);
  const found = new Map<string, string>();
  for (const directory of packDirectories()) {
    for (const name of names(directory)) {
      const path = join(directory, name);
      if (!found.has(name) && !name.startsWith(".") && isPack(path)) found.set(name, path);
    }
  }
  return [...found.values()];
}

function pack(name: string): string {
  if (name.includes("/")) return name;
  const found = packDirectories()
    .map((directory) => join(directory, name))
    .find(isPack);
  if (found === undefined) throw new TypeError(`no pack ${JSON.stringify(name)} is installed`);
  return found;
}

function packDirectories(): string[] {
  const bundled = join(native.packageRoot, "packs");
  const user = base("XDG_DATA_HOME", ".local/share");
  return user === undefined ? [bundled] : [join(user, "sandshell", "packs"), bundled];
}

function names(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).sort() : [];
}

function isPack(path: string): boolean {
  return existsSync(join(path, "pack.toml"));
}

function cache(): string | undefined {
  const found = base("XDG_CACHE_HOME", ".cache");
  return found === undefined ? undefined : join(found, "sandshell", "modules");
}

/** A directory of the XDG base directory specification, which has relative paths ignored. */
function base(variable: string, belowHome: string): string | undefined {
  const value = process.env[variable] ?? "";
  if (isAbsolute(value)) return value;
  const home = homedir();
  return isAbsolute(home) ? join(home, belowHome) : undefined;
}
