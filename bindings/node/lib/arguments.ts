/** Checks arguments before the native part gets them, because its messages would name its own types. */

import { SandboxError } from "./errors.js";
import { toNative } from "./text.js";

/** The error for a wrong argument. */
export function wrong(name: string, expected: string, found: unknown): SandboxError {
  return new SandboxError(`${name} must be ${expected}, not ${described(found)}`, "invalid_request");
}

export function text(name: string, value: unknown): string {
  if (typeof value !== "string") throw wrong(name, "a string", value);
  return value;
}

/** A name, or text that contains names. */
export function nameOf(name: string, value: unknown): string {
  return toNative(text(name, value));
}

export function namesOf(name: string, value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null) throw wrong(name, "an object of strings", value);
  return Object.fromEntries(Object.entries(value).map(([key, text]) => [nameOf(name, key), nameOf(`${name}.${key}`, text)]));
}

export function textsOf(name: string, value: unknown): string[] {
  if (!Array.isArray(value)) throw wrong(name, "an array of strings", value);
  return value.map((one) => text(name, one));
}

export function bytes(name: string, value: unknown): Uint8Array {
  if (typeof value === "string") return Buffer.from(value);
  if (value instanceof Uint8Array) return value;
  throw wrong(name, "a string or Uint8Array", value);
}

/** A number that may have a fraction, such as a time. */
export function number(name: string, value: unknown): number {
  if (typeof value !== "number" || !Number.isFinite(value)) throw wrong(name, "a number", value);
  return value;
}

/** A count. Negative numbers count as zero; infinity means all. */
export function count(name: string, value: unknown): number {
  if (typeof value !== "number" || Number.isNaN(value)) throw wrong(name, "a number", value);
  return value;
}

export function flag(value: unknown): boolean {
  return Boolean(value ?? false);
}

function described(value: unknown): string {
  if (value === null || value === undefined || typeof value === "number") return String(value);
  return typeof value === "object" ? `a ${value.constructor?.name ?? "object"}` : `a ${typeof value}`;
}
