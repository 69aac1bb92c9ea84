// Archives of tar (POSIX ustar, with GNU's and pax's long names), as npm packs them.

function text(block, from, size) {
  const end = block.indexOf(0, from);
  return block.toString('utf8', from, end < 0 || end > from + size ? from + size : end);
}

/// The files of an archive, which may be compressed: [{ name, data, mode }].
function unpack(data) {
  if (data[0] === 0x1f && data[1] === 0x8b) data = require('zlib').gunzipSync(data);
  const out = [];
  let longName;
  for (let at = 0; at + 512 <= data.length;) {
    const head = data.subarray(at, at + 512);
    if (head.every((byte) => byte === 0)) break;
    const size = Number.parseInt(text(head, 124, 12).trim() || '0', 8);
    if (!(size >= 0) || at + 512 + size > data.length) throw new Error('The archive is damaged');
    const body = data.subarray(at + 512, at + 512 + size);
    const type = String.fromCharCode(head[156] || 48);
    const prefix = text(head, 257, 5) === 'ustar' ? text(head, 345, 155) : '';
    let name = text(head, 0, 100);
    if (prefix) name = `${prefix}/${name}`;
    if (type === 'L') longName = text(body, 0, size);
    else if (type === 'x') longName = /(?:^|\n)\d+ path=([^\n]*)\n/.exec(body.toString())?.[1] ?? longName;
    else {
      if (type === '0')
        out.push({
          name: longName ?? name,
          data: Buffer.from(body),
          mode: Number.parseInt(text(head, 100, 8), 8) || 0o644,
        });
      longName = undefined;
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return out;
}

function pack(files) {
  const parts = [];
  for (const { name, data, mode } of files) {
    const head = Buffer.alloc(512);
    const cut = name.length > 100 ? name.lastIndexOf('/', name.length > 155 ? 155 : name.length - 1) : -1;
    head.write(cut > 0 ? name.slice(cut + 1) : name, 0, 100);
    if (cut > 0) head.write(name.slice(0, cut), 345, 155);
    const octal = (value, at, size) => head.write(value.toString(8).padStart(size - 1, '0'), at, size - 1);
    octal(mode & 0o111 ? 0o755 : 0o644, 100, 8);
    octal(0, 108, 8);
    octal(0, 116, 8);
    octal(data.length, 124, 12);
    octal(499162500, 136, 12);
    head.write('        0ustar\x0000', 148);
    octal(head.reduce((sum, byte) => sum + byte, 0), 148, 7);
    head[154] = 0;
    parts.push(head, data, Buffer.alloc((512 - (data.length % 512)) % 512));
  }
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
}

module.exports = { unpack, pack };
