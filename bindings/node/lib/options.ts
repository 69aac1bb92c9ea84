/** Options as JavaScript writes them, turned into what the native part reads. */

import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import native from "#native";
import { nameOf, namesOf, wrong as wrongType } from "./arguments.js";
import { SandboxError } from "./errors.js";
import type { Provider, ProviderParams } from "./provider.js";

/** How a directory of the host is mounted: to be looked at, changed at once, or changed in the sandbox only. */
export type MountMode = "ro" | "rw" | "overlay";

/** A directory of the host, mounted as an overlay unless a mode is given; `null` is an empty directory in memory. */
export type MountSource = string | { source: string; mode?: MountMode } | null;

export interface SandboxOptions {
  /** Where the sandbox is: `local`, the name of a cloud (see `providers`), or a `Provider`. */
  provider?: string | Provider;
  /** What the provider is told, if it is given by name (see `Provider.named`). */
  params?: ProviderParams;

  /** The directory that commands start in; the provider's by default, `/workspace` for local sandboxes. */
  workdir?: string;
  /** Variables of every command. */
  env?: Record<string, string>;
  /** Files to begin with: path -> content. */
  files?: Record<string, string | Uint8Array>;
  /**
   * Milliseconds a command may take that names no timeout. Local sandboxes have no limit by default; theirs also ends what the
   * command left in the background.
   */
  timeout?: number;
  /** Bytes of output kept of a command; 10 MiB by default. */
  maxOutput?: number;
  /** Bytes of memory of all processes together. */
  memory?: number;
  /** Processes at once. */
  processes?: number;
  /** Bytes of files. */
  disk?: number;

  // Of local sandboxes only.

  /** Place in the sandbox -> directory of the host. */
  mounts?: Record<string, MountSource>;
  /** The name of the machine. */
  hostname?: string;
  /** Bytes of memory of one process. */
  processMemory?: number;
  /** Processes that commands may leave in the background together; 64 by default. */
  backgroundProcesses?: number;
  /** Milliseconds of processor time that those of one command may take; 600,000 by default, 0 lifts the limit. */
  backgroundCpu?: number;
  /** Open files of one process. */
  descriptors?: number;
  /** Files, directories and links in memory at once; 200,000 by default. */
  inodes?: number;
  /** Bytes that may be written to mounts with mode `rw` over the sandbox's life; 16 GiB by default. */
  hostDisk?: number;
  /** Instructions of one command. */
  fuel?: number;
  /** Makes random numbers and the order of processes repeatable. */
  seed?: number;
  /** `real`, `virtual`, `virtual:TIME`, or a fixed time such as `2026-01-01T00:00:00Z`. */
  clock?: string;
  /** Packs by name or directory; by default all that are installed. */
  packs?: string[];
  /** Where compiled code of packs and of the user's own modules is kept. */
  cache?: string;

  // Of other providers only.

  /** The sandbox that has this id, instead of a new one: excludes what describes a new one. */
  id?: string;
  /** The provider's name of a snapshot or template to begin with. */
  snapshot?: string;
  /** Names to find it by. */
  labels?: Record<string, string>;
  /** Milliseconds after which it ends by itself. */
  ttl?: number;
  /** What it may connect to. Local sandboxes have no network, so that `blocked` is what they are. */
  network?: "blocked" | "open";
  /** Processors. */
  cpus?: number;
}

const EVERYWHERE = [
  "provider",
  "params",
  "workdir",
  "env",
  "files",
  "timeout",
  "maxOutput",
  "memory",
  "processes",
  "disk",
] as const;
const HERE = [
  "mounts",
  "hostname",
  "processMemory",
  "backgroundProcesses",
  "backgroundCpu",
  "descriptors",
  "inodes",
  "hostDisk",
  "fuel",
  "seed",
  "clock",
  "packs",
  "cache",
] as const;
const ELSEWHERE = ["id", "snapshot", "labels", "ttl", "network", "cpus"] as const;

/** Refuses an option that there is none of: a misspelt one would be without effect. */
export function refuseUnknown(options: SandboxOptions): void {
  const known = new Set<string>([...EVERYWHERE, ...HERE, ...ELSEWHERE]);
  const unknown = Object.keys(options).find((name) => !known.has(name));
  if (unknown !== undefined) throw wrong(`a sandbox has no option ${unknown}`);
}

/** The options of a local sandbox. */
export function nativeOptions({ network, ...options }: SandboxOptions): object {
  // There is none anyway.
  if (network !== undefined && network !== "blocked") throw wrong("a local sandbox has no network");
  refuse(options, ELSEWHERE, (name) => `a local sandbox has no ${name}: that is for other providers`);
  if (options.params !== undefined) throw wrong("params are for a provider that is given by name, and no local one");
  return providerOptions(options);
}

/** The options of a sandbox of another provider. */
export function createOptions(options: SandboxOptions): object {
  refuse(options, HERE, (name) => `${name} is an option of local sandboxes only`);
  return present({
    id: options.id,
    snapshot: options.snapshot,
    labels: options.labels,
    ttl: seconds(options.ttl),
    env: options.env,
    workdir: options.workdir,
    network: options.network,
    memory: options.memory,
    cpus: options.cpus,
    disk: options.disk,
    processes: options.processes,
    timeout: seconds(options.timeout),
    max_output: options.maxOutput,
  });
}

function refuse(options: SandboxOptions, names: readonly (keyof SandboxOptions)[], why: (name: string) => string): void {
  const given = names.find((name) => options[name] !== undefined);
  if (given !== undefined) throw wrong(why(given));
}

function wrong(message: string): SandboxError {
  return new SandboxError(message, "invalid_request");
}

function seconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}

function present(options: object): object {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) check(name, value);
  return Object.fromEntries(given);
}

const NUMBERS = ["timeout", "background_cpu", "background_processes", "ttl", "max_output", "memory", "process_memory", "processes", "descriptors", "fuel", "disk", "seed", "cpus"];
const FRACTIONS = ["timeout", "background_cpu", "ttl", "cpus"];
const SMALL = ["processes", "background_processes", "descriptors"];
const TEXTS = ["workdir", "hostname", "clock", "cache", "id", "snapshot", "network"];

/** The native part would name its own types. */
function check(nativeName: string, value: unknown): void {
  const name = nativeName.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  if (NUMBERS.includes(nativeName)) {
    if (typeof value !== "number" || !Number.isFinite(value)) throw wrongType(name, "a number", value);
    if (value < 0) throw wrong(`${name} must not be negative, but is ${value}`);
    if (!FRACTIONS.includes(nativeName) && !Number.isInteger(value)) throw wrong(`${name} must be a whole number, not ${value}`);
    if (value >= (SMALL.includes(nativeName) ? 2 ** 32 : 2 ** 63)) throw wrong(`${name} is too large: ${value}`);
  } else if (TEXTS.includes(nativeName)) {
    if (typeof value !== "string") throw wrongType(name, "a string", value);
  } else if (name === "env" || name === "labels") {
    namesOf(name, value);
  }
}

/** What the local provider is told. */
export function providerOptions(options: SandboxOptions): object {
  return present({
    workdir: options.workdir,
    env: options.env === undefined ? undefined : namesOf("env", options.env),
    mounts: Object.entries(options.mounts ?? {}).map(([at, source]) => nativeMount(at, source)),
    hostname: options.hostname,
    timeout: seconds(options.timeout),
    max_output: options.maxOutput,
    memory: options.memory,
    process_memory: options.processMemory,
    processes: options.processes,
    background_processes: options.backgroundProcesses,
    background_cpu: seconds(options.backgroundCpu),
    descriptors: options.descriptors,
    inodes: options.inodes,
    host_disk: options.hostDisk,
    fuel: options.fuel,
    disk: options.disk,
    seed: options.seed,
    clock: options.clock,
    packs: packs(options.packs),
    cache: options.cache ?? cache(),
  });
}

export function nativeMount(at: string, source: MountSource): object {
  at = nameOf("mounts", at);
  if (source === null) return { at };
  if (typeof source === "string") return { at, source, mode: "overlay" };
  if (typeof source?.source !== "string") throw wrongType(`mounts[${JSON.stringify(at)}]`, "a path", source?.source);
  if (source.mode !== undefined && !["ro", "rw", "overlay"].includes(source.mode)) {
    throw wrong(`the mode of a mount is ro, rw or overlay, not ${source.mode}`);
  }
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
  if (found === undefined) throw wrong(`no pack ${JSON.stringify(name)} is installed`);
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
