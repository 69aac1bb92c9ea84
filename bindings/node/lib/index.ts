/** A WebAssembly sandbox that runs bash, in this process. */

export { FileOperationError, SandboxError } from "./errors.js";
export {
  Provider,
  providers,
  record,
  replay,
  type ProviderInfo,
  type ProviderParams,
  type SandboxInfo,
  type Secrets,
} from "./provider.js";
export { dataDirectory } from "./options.js";
export type { MountMode, MountSource, SandboxOptions } from "./options.js";
export {
  Sandbox,
  Session,
  Snapshot,
  Terminal,
  type DownloadResult,
  type ExecuteOptions,
  type ExecuteResult,
  type FileInfo,
  type GrepMatch,
  type ReadResult,
  type Screen,
  type SessionResult,
  type UploadResult,
} from "./sandbox.js";
export { SandshellSandbox, type SandshellSandboxOptions } from "./deepagents.js";
export {
  VfsSandbox,
  VfsSandboxError,
  createVfsSandboxFactory,
  createVfsSandboxFactoryFromSandbox,
  type VfsSandboxErrorCode,
  type VfsSandboxOptions,
} from "./node-vfs.js";
