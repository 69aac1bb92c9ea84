/** Providers of sandboxes: this process, a cloud, a command in any language, a recording. */

import { NativeProvider, call, callNow } from "./native.js";
import { providerOptions, type SandboxOptions } from "./options.js";
import { number } from "./arguments.js";
import type { Sandbox, Snapshot } from "./sandbox.js";

/** Parameters of a provider: strings, numbers, booleans, lists of strings, and strings by name. */
export type ProviderParams = Record<string, string | number | boolean | string[] | Record<string, string>>;

/** Facts about a provider that are known before it is used. */
export interface ProviderInfo {
  name: string;
  /** The kind; the same as the name unless a configuration declares it. */
  kind: string;
  /** What must be done before it can be used; `null`: nothing. */
  missing: string | null;
  workingDirectory: string | null;
  /** Its capabilities: `reattach`, `list`, `snapshot`, `restore`, `fork`, `ttl`, … */
  capabilities: string[];
}

/** A sandbox in a listing. */
export interface SandboxInfo {
  id: string;
  state: "starting" | "running" | "paused" | "ended" | "unknown";
  labels: Record<string, string>;
  createdAt?: Date;
}

/** What is redacted in a recording: values, and everything that matches regular expressions. */
export interface Secrets {
  secrets?: string[];
  patterns?: string[];
}

/** A provider. */
export class Provider {
  /** @internal */
  constructor(readonly native: NativeProvider) {}

  /**
   * A provider by its name, as `sandshell providers` lists them. The parameters of `local` are the options of
   * `Sandbox`; with a `dataDir` its sandboxes are kept there, and outlive the process if `keep` is called. Those of a
   * cloud have the names of its variables, in lower case and without the cloud's name (`api_key` of `e2b` is
   * `E2B_API_KEY`); they take precedence over the environment and the user's `config.toml`. `command` is a provider in
   * any language.
   */
  static async named(name: "local", params?: SandboxOptions): Promise<Provider>;
  static async named(name: string, params?: ProviderParams): Promise<Provider>;
  static async named(name: string, params: object = {}): Promise<Provider> {
    if (name === "local") return new Provider(callNow(() => NativeProvider.local(providerOptions(params))));
    return new Provider(await call(() => NativeProvider.named(name, params, variables())));
  }

  /** The name by which it was chosen. */
  get name(): string {
    return this.native.name;
  }

  /** The default working directory of its sandboxes. */
  get workingDirectory(): string {
    return this.native.workingDir;
  }

  /** Its capabilities. */
  get capabilities(): string[] {
    return this.native.capabilities;
  }

  /** Creates a sandbox: `Sandbox.create({ ...options, provider: this })`. */
  async create(options: SandboxOptions = {}): Promise<Sandbox> {
    const { Sandbox } = await import("./sandbox.js");
    return Sandbox.create({ ...options, provider: this });
  }

  /** The existing sandboxes that have all of these labels. */
  async *list(labels: Record<string, string> = {}): AsyncGenerator<SandboxInfo> {
    let cursor: string | undefined;
    do {
      const page = await call(() => this.native.list(labels, cursor));
      for (const { createdAt, ...info } of page.sandboxes) {
        yield createdAt === undefined || createdAt === null ? info : { ...info, createdAt: new Date(createdAt) };
      }
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
  }

  /** Deletes a sandbox. It is no error if it does not exist. */
  async delete(id: string): Promise<void> {
    await call(() => this.native.delete(id));
  }

  /** Takes a snapshot of a sandbox. Not every provider supports a `name`. */
  async snapshot(id: string, name?: string): Promise<Snapshot> {
    const { Snapshot } = await import("./sandbox.js");
    return new Snapshot(await call(() => this.native.snapshot(id, name)));
  }

  /** Puts a sandbox back to a snapshot, by its id or name. */
  async restore(id: string, snapshot: string): Promise<void> {
    await call(() => this.native.restore(id, snapshot));
  }

  /**
   * Creates a sandbox with a copy of the files of another one; returns its id. Nothing but `delete` and its time limits
   * end it.
   */
  async fork(id: string): Promise<string> {
    return call(() => this.native.fork(id));
  }

  /** Stops a sandbox and keeps its files, until `resume`. */
  async pause(id: string): Promise<void> {
    await call(() => this.native.pause(id));
  }

  /** Lets a paused sandbox run again. It is no error if it does. */
  async resume(id: string): Promise<void> {
    await call(() => this.native.resume(id));
  }

  /** Sets the milliseconds after which a sandbox ends by itself, or is only on disk; `null`: never. */
  async setTtl(id: string, ttl: number | null): Promise<void> {
    await call(() => this.native.setTtl(id, ttl === null ? undefined : number("ttl", ttl) / 1000));
  }

  /**
   * Writes a local sandbox that is kept on disk to a file, all or nothing: its newest files, or those of a `state` or
   * snapshot. `FILE.tar` and `FILE.tar.gz` are archives of the files; `FILE.sandbox` also has labels, variables and
   * limits. The sandbox may be in use.
   */
  async export(id: string, file: string, options: { state?: string | number } = {}): Promise<void> {
    const { state } = options;
    await call(() => this.native.export(id, file, state === undefined ? undefined : String(state)));
  }

  /** Creates a local sandbox that is kept on disk from what `export` wrote, or from another tar archive; returns its id. */
  async import(file: string, labels: Record<string, string> = {}): Promise<string> {
    return call(() => this.native.import(file, labels));
  }

  /** Deletes a snapshot. It is no error if it does not exist. */
  async deleteSnapshot(id: string): Promise<void> {
    await call(() => this.native.deleteSnapshot(id));
  }
}

/** All providers, with what must be done before each can be used. */
export async function providers(): Promise<ProviderInfo[]> {
  return (await call(() => NativeProvider.known(variables()))).map(({ workingDir, missing, ...rest }) => ({
    ...rest,
    missing: missing ?? null,
    workingDirectory: workingDir ?? null,
  }));
}

/**
 * A provider that behaves as `provider` and writes each call and its answer to the file `cassette`. Secrets are
 * redacted, and so are the values of variables whose names suggest a secret.
 */
export async function record(provider: string | Provider, cassette: string, kept: Secrets = {}): Promise<Provider> {
  const recorded = typeof provider === "string" ? await Provider.named(provider) : provider;
  return new Provider(callNow(() => recorded.native.record(cassette, redacted(kept))));
}

/**
 * A provider that answers from a recording of `record`, without any other provider: offline, and the same each
 * time. A call that was not recorded is an error that says what was expected; with `inOrder`, so is a call in
 * another order.
 */
export function replay(cassette: string, options: Secrets & { inOrder?: boolean } = {}): Provider {
  return new Provider(
    callNow(() => NativeProvider.replay(cassette, options.inOrder ?? false, redacted(options))),
  );
}

function redacted({ secrets = [], patterns = [] }: Secrets): object {
  return { values: secrets, patterns };
}

/** The variables in which credentials are looked up. */
function variables(): Record<string, string> {
  return Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
