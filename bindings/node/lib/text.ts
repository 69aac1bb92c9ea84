/**
 * Names that are not UTF-8. In JavaScript, a lone surrogate from U+DC80 to U+DCFF represents an invalid byte, as in
 * Python's `surrogateescape`. In the native part, whose text is UTF-8, it is a character from U+10FF80 to U+10FFFF.
 */

const LONE = /[\udc80-\udcff]/u;
const LONE_OR_ESCAPE = /[\udc80-\udcff]|[\u{10ff80}-\u{10ffff}]/gu;
const ESCAPE = /[\u{10ff80}-\u{10ffff}]/u;
const ESCAPES = /[\u{10ff80}-\u{10ffff}]+/gu;

/** Converts a name for the native part. */
export function toNative(name: string): string {
  if (!LONE.test(name) && !ESCAPE.test(name)) return name;
  return name.replace(LONE_OR_ESCAPE, (letter) => {
    // A character that would represent a byte is itself written as the characters for its bytes.
    const bytes = letter.length === 1 ? [letter.charCodeAt(0) & 0xff] : [...Buffer.from(letter)];
    return bytes.map((byte) => String.fromCodePoint(0x10ff00 + byte)).join("");
  });
}

/** Converts a name from the native part. */
export function fromNative(name: string): string {
  if (!ESCAPE.test(name)) return name;
  return name.replace(ESCAPES, (letters) => {
    const bytes = Buffer.from(Array.from(letters, (letter) => letter.codePointAt(0)! & 0xff));
    // Bytes that form valid UTF-8 together become that text again.
    let text = "";
    for (let at = 0; at < bytes.length; ) {
      const length = [4, 3, 2].find((length) => isText(bytes.subarray(at, at + length), length));
      text += length === undefined ? String.fromCharCode(0xdc00 + bytes[at]!) : bytes.toString("utf8", at, at + length);
      at += length ?? 1;
    }
    return text;
  });
}

function isText(bytes: Buffer, length: number): boolean {
  if (bytes.length !== length) return false;
  const text = bytes.toString();
  return [...text].length === 1 && text !== "\ufffd";
}
