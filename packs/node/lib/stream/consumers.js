// A stream as one value.

async function buffer(stream) {
  const parts = [];
  for await (const chunk of stream) parts.push(typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk));
  return Buffer.concat(parts);
}

async function text(stream) {
  const decoder = new TextDecoder();
  let out = '';
  for await (const chunk of stream) out += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
  return out + decoder.decode();
}

module.exports = {
  buffer,
  text,
  json: async (stream) => JSON.parse(await text(stream)),
  async arrayBuffer(stream) {
    const all = await buffer(stream);
    return all.buffer.slice(all.byteOffset, all.byteOffset + all.byteLength);
  },
  blob: async (stream) => new Blob([await buffer(stream)]),
};
