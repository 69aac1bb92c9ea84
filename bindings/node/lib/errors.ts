/** The errors of calls. */

/** A call could not be carried out: `kind` says why (`invalid_request`, `sandbox_ended`, `conflict`, …). */
export class SandboxError extends Error {
  override name = "SandboxError";

  constructor(
    message: string,
    readonly kind: string,
  ) {
    super(message);
  }
}

/** A file operation is not possible: `reason` says why (`file_not_found`, `text_not_unique`, …). */
export class FileOperationError extends SandboxError {
  override name = "FileOperationError";

  constructor(
    message: string,
    readonly reason: string,
  ) {
    super(message, "file_operation");
  }
}
