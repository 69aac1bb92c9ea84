/** Places that sandboxes come from: this process, a cloud, a command in any language, a recording. */

import { NativeProvider, call, callNow } from "./native.js";
import { providerOptions, type SandboxOptions } from "./options.js";
import type { Sandbox } from "./sandbox.js";

/** What a provider is told: text, numbers and truth values, lists of texts, and texts by name. */
export type ProviderParams = Record<string, string | number | boolean | string[] | Record<string, string>>;

/** What is known of a provider before it is used. */
export interface ProviderInfo {
  name: string;
  /** The name, unless a configuration declares it. */
  kind: string;
  /** What has to be done before it can be used. */
  missing: string | null;
  workingDirectory: string | null;
  /** What it can do: `reattach`, `list`, `snapshot`, `restore`, `fork`, `ttl`, … */
  capabilities: string[];
}

/** A sandbox in a listing. */
export interface SandboxInfo {
  id: string;
  state: "starting" | "running" | "paused" | "ended" | "unknown";
  labels: Record<string, string>;
  createdAt?: Date;
}

/** What is kept out of a recording: values, and what matches regular expressions. */
export interface Secrets {
  secrets?: string[];
  patterns?: string[];
}

/** A provider. */
export class Provider {
  /** @internal */
  constructor(readonly native: NativeProvider) {}

  /**
   * A provider by its name, as `sandshell providers` lists them. The parameters of `local` are the options of `Sandbox`;
   * those of a cloud are its variables, in small letters and without its name (`api_key` of `e2b` is `E2B_API_KEY`), and win
   * over the environment and the user's `config.toml`. `command` is a provider in any language.
   */
  static async named(name: "local", params?: SandboxOptions): Promise<Provider>;
  static async named(name: string, params?: ProviderParams): Promise<Provider>;
  static async named(name: string, params: object = {}): Promise<Provider> {
    if (name === "local") return new Provider(callNow(() => NativeProvider.local(providerOptions(params))));
    return new Provider(await call(() => NativeProvider.named(name, params, variables())));
  }

  /** The name that it was asked for by. */
  get name(): string {
    return this.native.name;
  }

  /** The working directory of a sandbox that is created without one. */
  get workingDirectory(): string {
    return this.native.workingDir;
  }

  /** What it can do. */
  get capabilities(): string[] {
    return this.native.capabilities;
  }

  /** A sandbox: `Sandbox.create({ ...options, provider: this })`. */
  async create(options: SandboxOptions = {}): Promise<Sandbox> {
    const { Sandbox } = await import("./sandbox.js");
    return Sandbox.create({ ...options, provider: this });
  }

  /** The sandboxes there are: those that have all of these labels. */
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

  /** Ends a sandbox. One that is not there counts as deleted. */
  async delete(id: string): Promise<void> {
    await call(() => this.native.delete(id));
  }

  /** Removes a snapshot. One that is not there counts as removed. */
  async deleteSnapshot(id: string): Promise<void> {
    await call(() => this.native.deleteSnapshot(id));
  }
}

/** Every provider, with what has to be done before it can be used. */
export async function providers(): Promise<ProviderInfo[]> {
  return (await call(() => NativeProvider.known(variables()))).map(({ workingDir, missing, ...rest }) => ({
    ...rest,
    missing: missing ?? null,
    workingDirectory: workingDir ?? null,
  }));
}

/**
 * A provider that does what `provider` does and writes each call and its answer to the file `cassette`, without the secrets
 * and the values of variables whose names say that they are secret.
 */
export async function record(provider: string | Provider, cassette: string, kept: Secrets = {}): Promise<Provider> {
  const recorded = typeof provider === "string" ? await Provider.named(provider) : provider;
  return new Provider(callNow(() => recorded.native.record(cassette, redacted(kept))));
}

/**
 * A provider that answers from what `record` wrote, with nothing behind it: offline, and the same each time. A call that was
 * not recorded is an error that says what was expected; with `inOrder` also one that comes in another order.
 */
export function replay(cassette: string, options: Secrets & { inOrder?: boolean } = {}): Provider {
  return new Provider(
    callNow(() => NativeProvider.replay(cassette, options.inOrder ?? false, redacted(options))),
  );
}

function redacted({ secrets = [], patterns = [] }: Secrets): object {
  return { values: secrets, patterns };
}

/** Where credentials are looked for. */
function variables(): Record<string, string> {
  return Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
