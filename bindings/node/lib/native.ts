/** The native part, and its errors as exceptions. */

import native from "#native";
import { FileOperationError, SandboxError } from "./errors.js";

export type ExecuteAnswer = native.ExecuteAnswer;
export type FilesAnswer = native.FilesAnswer;
export type NativeSandbox = native.NativeSandbox;
export type NativeCancel = native.NativeCancel;
export const NativeCancel = native.NativeCancel;
export type NativeSnapshot = native.NativeSnapshot;
export const NativeSandbox = native.NativeSandbox;
export type NativeProvider = native.NativeProvider;
export const NativeProvider = native.NativeProvider;

/** Calls the native part and translates its errors: the first line of a message is the error's name. */
export async function call<T>(work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translated(error);
  }
}

/** Like `call`, for calls that do not wait. */
export function callNow<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translated(error);
  }
}

function translated(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const split = error.message.indexOf("\n");
  // The native part could not read an argument; its own message names the expected type.
  if (split < 0 && (error as { code?: string }).code?.endsWith("Expected")) {
    return new SandboxError(`an argument is of a wrong type: ${error.message}`, "invalid_request");
  }
  if (split < 0) return error;
  const name = error.message.slice(0, split);
  const message = error.message.slice(split + 1);
  if (name.startsWith("file:")) return new FileOperationError(message, name.slice("file:".length));
  return new SandboxError(message, name);
}
