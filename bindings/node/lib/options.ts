/** Translates JavaScript's options to those of the native part. */

import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import native from "#native";
import { nameOf, namesOf, textsOf, wrong as wrongType } from "./arguments.js";
import { SandboxError } from "./errors.js";
import type { Provider, ProviderParams } from "./provider.js";

/**
 * How a directory of the host is mounted: read-only, read-write, or as an overlay whose changes stay in the
 * sandbox.
 */
export type MountMode = "ro" | "rw" | "overlay";

/** A directory of the host, mounted as an overlay unless a mode is given; `null` is an empty directory in memory. */
export type MountSource = string | { source: string; mode?: MountMode } | null;

export interface SandboxOptions {
  /** The provider: `local` (the default), the name of a cloud (see `providers`), or a `Provider`. */
  provider?: string | Provider;
  /** Parameters of the provider, if it is given by name (see `Provider.named`). */
  params?: ProviderParams;

  /** The working directory of commands. Default: the provider's; `/workspace` for local sandboxes. */
  workdir?: string;
  /** Environment variables of every command. */
  env?: Record<string, string>;
  /** Initial files: path -> content. */
  files?: Record<string, string | Uint8Array>;
  /**
   * The default timeout of a command, in milliseconds. Local sandboxes have no limit by default; their timeout also
   * ends processes that the command left in the background.
   */
  timeout?: number;
  /** How many bytes of a command's output are kept; 10 MiB by default. */
  maxOutput?: number;
  /** Memory of all processes together, in bytes. */
  memory?: number;
  /** The most processes at a time. */
  processes?: number;
  /** Space for files, in bytes. */
  disk?: number;

  // Options of local sandboxes only.

  /** Path in the sandbox -> directory of the host. */
  mounts?: Record<string, MountSource>;
  /** The name of the machine. */
  hostname?: string;
  /** Memory of one process, in bytes. */
  processMemory?: number;
  /** The most background processes of all commands together; 64 by default. */
  backgroundProcesses?: number;
  /**
   * Processor time in milliseconds that the background processes of one command may use; 600,000 by default, 0
   * means no limit.
   */
  backgroundCpu?: number;
  /** The most open files of one process. */
  descriptors?: number;
  /** The most files, directories and links in memory at a time; 200,000 by default. */
  inodes?: number;
  /** How many bytes may be written to mounts with mode `rw` in the sandbox's whole life; 16 GiB by default. */
  hostDisk?: number;
  /** The most instructions of one command; no limit by default. */
  fuel?: number;
  /** Makes random numbers and the order of processes repeatable. */
  seed?: number;
  /** `real`, `virtual`, `virtual:TIME`, or a fixed time such as `2026-01-01T00:00:00Z`. */
  clock?: string;
  /** Packs by name or directory; by default all that are installed. */
  packs?: string[];
  /** The directory for compiled code of packs and of the user's own modules. */
  cache?: string;

  /**
   * Keeps a local sandbox in this directory, so that it can outlive the process. By default `dataDirectory()`, if
   * another option needs it.
   */
  dataDir?: string;

  // Options of other providers, and of local sandboxes that are kept on disk.

  /** The existing sandbox with this id, instead of a new one. It excludes options that describe a new one. */
  id?: string;
  /** The provider's name of a snapshot or template to start from. */
  snapshot?: string;
  /** Names and values to find it by. */
  labels?: Record<string, string>;
  /**
   * The time in milliseconds after which it ends by itself. A local one is then only on disk, until it is used again,
   * and the time counts from its last use; an hour by default.
   */
  ttl?: number;
  /** How many milliseconds it exists at most; 30 days by default for a local one. */
  hardTtl?: number;

  // Options of other providers only.

  /** Its access to the network. Local sandboxes have no network, so they accept only `blocked`. */
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
  "dataDir",
] as const;
/** What a local sandbox has only if it is kept on disk. */
const KEPT = ["id", "snapshot", "labels", "ttl", "hardTtl"] as const;
const ELSEWHERE = [...KEPT, "network", "cpus"] as const;

/** Refuses unknown options: a misspelt one would have no effect. */
export function refuseUnknown(options: SandboxOptions): void {
  const known = new Set<string>([...EVERYWHERE, ...HERE, ...ELSEWHERE]);
  const unknown = Object.keys(options).find((name) => !known.has(name));
  if (unknown !== undefined) throw wrong(`a sandbox has no option ${unknown}`);
}

/** Whether a local sandbox is kept on disk. */
export function isKept(options: SandboxOptions): boolean {
  return options.dataDir !== undefined || KEPT.some((name) => options[name] !== undefined);
}

/** The options of a local sandbox that is kept on disk: those of its provider, and its own, which are stored with it. */
export function keptOptions(options: SandboxOptions): [SandboxOptions, SandboxOptions] {
  refuseParams(options);
  const given = Object.entries(options);
  const here = given.filter(([name]) => (HERE as readonly string[]).includes(name));
  const own = given.filter(([name]) => !(HERE as readonly string[]).includes(name) && name !== "provider");
  return [{ ...Object.fromEntries(here), dataDir: options.dataDir ?? dataDirectory() }, Object.fromEntries(own)];
}

/** The options of a local sandbox. */
export function nativeOptions({ network, ...options }: SandboxOptions): object {
  // Local sandboxes never have a network.
  if (network !== undefined && network !== "blocked") throw wrong("a local sandbox has no network");
  refuse(options, ELSEWHERE, (name) => `a local sandbox has no ${name}: that is for other providers`);
  refuseParams(options);
  return providerOptions(options);
}

function refuseParams(options: SandboxOptions): void {
  if (options.params !== undefined) throw wrong("params are for a provider that is given by name, and no local one");
}

/** The options of a sandbox of another provider. */
export function createOptions(options: SandboxOptions): object {
  refuse(options, HERE, (name) => `${name} is an option of local sandboxes only`);
  return present({
    id: options.id,
    snapshot: options.snapshot,
    labels: options.labels,
    ttl: seconds(options.ttl),
    hard_ttl: seconds(options.hardTtl),
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

const NUMBERS = ["timeout", "background_cpu", "background_processes", "ttl", "hard_ttl", "max_output", "memory", "process_memory", "processes", "descriptors", "fuel", "disk", "seed", "cpus"];
const FRACTIONS = ["timeout", "background_cpu", "ttl", "hard_ttl", "cpus"];
const SMALL = ["processes", "background_processes", "descriptors"];
const TEXTS = ["workdir", "hostname", "clock", "cache", "data_dir", "id", "snapshot", "network"];

/** Checks an option's type, because the native part's message would name its own types. */
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

/** The options of the local provider. */
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
    packs: options.packs ? textsOf("packs", options.packs) : undefined,
    bundled_packs: native.packDirectories,
    cache: options.cache ?? undefined,
    data_dir: options.dataDir === undefined ? undefined : absolute(options.dataDir),
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

/** The absolute path, if it is one; whether it is text is checked with the other options. */
function absolute(path: string): string {
  return typeof path === "string" ? resolve(path) : path;
}

/**
 * The directory where sandboxes of this user are kept, the same as on the command line: the one that
 * `SANDSHELL_DATA_DIR` names, or `sandshell/sandboxes` in the user's directory for data.
 */
export function dataDirectory(): string {
  const named = process.env.SANDSHELL_DATA_DIR ?? "";
  if (isAbsolute(named)) return named;
  const user = base("XDG_DATA_HOME", ".local/share");
  if (user === undefined) throw wrong("nothing says where sandboxes are kept: set HOME, or give a dataDir");
  return join(user, "sandshell", "sandboxes");
}

/** A directory of the XDG base directory specification. Relative paths are ignored, as it requires. */
function base(variable: string, belowHome: string): string | undefined {
  const value = process.env[variable] ?? "";
  if (isAbsolute(value)) return value;
  const home = homedir();
  return isAbsolute(home) ? join(home, belowHome) : undefined;
}
