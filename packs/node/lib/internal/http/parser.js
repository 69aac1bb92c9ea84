// Reads messages of HTTP/1.1 out of bytes, as RFC 9112 has them. It is strict: lines end with CR and LF, there is one
// length, and what could be understood in two ways is refused, in the words of Node's own parser.

const { METHODS, NO_VALUE, wordsOf } = require('internal/http/words');

const LF = 10;
const CR = 13;
const KNOWN = new Set(METHODS);
/// The extension of a chunk says nothing to anybody; so many bytes of it are read over.
const MOST_EXTENSION = 16384;
const NAME = /^[\w!#$%&'*+\-.^`|~]+/;
const EXTENSION = /^[\t\x20-\x7e\x80-\xff]*$/;
const VERSIONS = ['0.9', '1.0', '1.1', '2.0'];

class ParseError extends Error {
  constructor(code, reason, bytesParsed) {
    super(`Parse Error: ${reason}`);
    Object.defineProperty(this, 'name', { value: 'Error', configurable: true, writable: true, enumerable: false });
    this.bytesParsed = bytesParsed;
    this.code = code;
    this.reason = reason;
  }
}

/// Whoever is told: `head(info)` returns 'skip' if there is no body (an answer to HEAD) and 'stop' if what follows is
/// no HTTP; `body(chunk)`; `end(trailers)`.
class MessageParser {
  #step = this.#start;
  #line = ''; // what there is of a line whose end has not come yet
  #used = 0; // bytes of the head so far
  #left = 0; // of the body or of a chunk
  #piece;
  #at = 0;
  #from = 0; // where the line began in the piece; negative if before it
  #info;
  #fields;
  #isTrailer = false;
  #framing;
  isStopped = false;

  constructor(isRequest, most, told) {
    this.isRequest = isRequest;
    this.most = most;
    this.told = told;
  }

  /// Whether a message has begun and is not at its end.
  get isWithin() { return this.#info !== undefined || this.#line !== ''; }

  /// Reads a piece: how many bytes of it belong to messages, all unless it was stopped; or an exception.
  execute(piece) {
    // Whoever is told of a message may bring more before it returns.
    if (this.#piece) {
      this.#later.push(piece);
      return piece.length;
    }
    let used = this.#read(piece);
    while (this.#later.length && !(used instanceof Error)) {
      const next = this.#read(this.#later.shift());
      if (next instanceof Error) used = next;
    }
    return used;
  }
  #later = [];

  #read(piece) {
    this.#piece = piece;
    this.#at = 0;
    try {
      while (this.#at < piece.length && !this.isStopped) this.#step();
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      this.isStopped = true;
      return error;
    } finally {
      this.#piece = undefined;
    }
    return this.#at;
  }

  /// The bytes end: an exception if that is too early.
  finish() {
    if (this.isStopped) return undefined;
    if (this.#step === this.#untilEnd) {
      this.#complete();
      return undefined;
    }
    if (!this.isWithin) return undefined;
    const error = new ParseError('HPE_INVALID_EOF_STATE', 'Invalid EOF state', 0);
    error.message = 'Parse Error';
    return error;
  }

  stop() { this.isStopped = true; }

  #fail(code, reason, place = this.#at) { throw new ParseError(code, reason, Math.max(0, place)); }

  /// The next line with its CR, without its LF; undefined if its end is not there yet.
  #nextLine(most, overflow) {
    const end = this.#piece.indexOf(LF, this.#at);
    const stop = end < 0 ? this.#piece.length : end;
    this.#from = this.#at - this.#line.length;
    if (this.#line.length + stop - this.#at > most) this.#fail(...overflow, this.#piece.length);
    const text = this.#line + this.#piece.latin1Slice(this.#at, stop);
    this.#at = end < 0 ? stop : end + 1;
    this.#line = end < 0 ? text : '';
    return end < 0 ? undefined : text;
  }

  static #OVERFLOW = ['HPE_HEADER_OVERFLOW', 'Header overflow'];

  #start() {
    // Empty lines before a message are passed over.
    while (this.#piece[this.#at] === CR || this.#piece[this.#at] === LF) this.#at++;
    if (this.#at === this.#piece.length) return;
    this.#used = 0;
    this.#framing = { length: undefined, coding: undefined };
    this.#fields = [];
    this.#isTrailer = false;
    this.#step = this.#firstLine;
  }

  #firstLine() {
    const line = this.#nextLine(this.most + 32, MessageParser.#OVERFLOW);
    if (line === undefined) {
      if (this.isRequest) this.#method(this.#line);
      else if (!'HTTP/'.startsWith(this.#line.slice(0, 5))) this.#noVersion(this.#line, 0);
      return;
    }
    this.#info = this.isRequest ? this.#requestLine(line) : this.#statusLine(line);
    this.#step = this.#field;
  }

  /// Checks how a request begins, as soon as there is something; what of it is the method.
  #method(line) {
    const word = /^[A-Z-]*/.exec(line)[0];
    const isWhole = word.length < line.length;
    if (isWhole ? KNOWN.has(word) && line[word.length] === ' ' : METHODS.some((name) => name.startsWith(word)))
      return word;
    let known = 0;
    while (known < word.length && METHODS.some((name) => name.startsWith(word.slice(0, known + 1)))) known++;
    if (KNOWN.has(word)) this.#fail('HPE_INVALID_METHOD', 'Expected space after method', this.#from + word.length);
    if (/^PRI \* HTTP\/2\.0\r?$/.test(line)) this.#fail('HPE_PAUSED_H2_UPGRADE', 'Pause on PRI/Upgrade', this.#piece.length);
    if ('PRI * HTTP/2.0'.startsWith(line)) return word;
    return this.#fail('HPE_INVALID_METHOD', 'Invalid method encountered', this.#from + known);
  }

  #noVersion(line, at) {
    let same = 0;
    while (same < 5 && line[at + same] === 'HTTP/'[same]) same++;
    this.#fail('HPE_INVALID_CONSTANT', 'Expected HTTP/, RTSP/ or ICE/', this.#from + (this.isRequest ? at : 0));
  }

  #version(line, at) {
    if (line.slice(at, at + 5) !== 'HTTP/') this.#noVersion(line, at);
    const version = line.slice(at + 5, at + 8);
    if (!VERSIONS.includes(version)) this.#fail('HPE_INVALID_VERSION', 'Invalid HTTP version', this.#from + at + 8);
    return version;
  }

  #requestLine(line) {
    const method = this.#method(line);
    let at = method.length;
    while (line[at] === ' ') at++;
    const url = this.#url(line, at, method);
    at += url.length;
    this.#used += url.length;
    if (this.#used > this.most) this.#fail(...MessageParser.#OVERFLOW, this.#at - 1);
    if (line[at] === '\r' && at === line.length - 1) return { method, url, version: '0.9' };
    if (line[at] !== ' ') this.#fail('HPE_INVALID_URL', 'Invalid characters in url', this.#from + at);
    while (line[at] === ' ') at++;
    const version = this.#version(line, at);
    if (line.length !== at + 9 || line[at + 8] !== '\r')
      this.#fail('HPE_INVALID_VERSION', 'Expected CRLF after version', this.#from + at + 8);
    return { method, url, version };
  }

  #url(line, at, method) {
    const url = /^[^ \t\r\f]*/.exec(line.slice(at))[0];
    const wrong = url.search(/[^\x21-\x7e]/);
    if (method === 'CONNECT') {
      const bad = url.search(/[^\w\-.~%:@[\]!$&'()*+,;=]/);
      if (url === '' || bad === 0) this.#fail('HPE_INVALID_URL', 'Unexpected start char in url', this.#from + at);
      if (bad > 0) this.#fail('HPE_INVALID_URL', 'Invalid characters in url', this.#from + at + bad);
      return url;
    }
    const scheme = /^[a-zA-Z]+/.exec(url)?.[0].length ?? 0;
    if (scheme) {
      if (!url.startsWith('://', scheme))
        this.#fail('HPE_INVALID_URL', 'Invalid characters in url', this.#from + at + scheme + 1);
    } else if (url[0] !== '/' && url[0] !== '*') {
      this.#fail('HPE_INVALID_URL', 'Unexpected start char in url', this.#from + at);
    }
    if (wrong >= 0) this.#fail('HPE_INVALID_URL', 'Invalid char in url path', this.#from + at + wrong);
    return url;
  }

  #statusLine(line) {
    const version = this.#version(line, 0);
    if (line[8] !== ' ') this.#fail('HPE_INVALID_VERSION', 'Expected space after version', this.#from + 8);
    const code = /^\d*/.exec(line.slice(9))[0];
    if (code.length < 3) this.#fail('HPE_INVALID_STATUS', 'Invalid status code', this.#from + 9 + code.length);
    if (code.length > 3 || !/[ \r]/.test(line[12] ?? '\r'))
      this.#fail('HPE_INVALID_STATUS', 'Invalid response status', this.#from + 12);
    if (!line.endsWith('\r'))
      this.#fail('HPE_CR_EXPECTED', 'Missing expected CR after response line', this.#from + line.length + 1);
    const reason = line.slice(13, -1);
    this.#used += reason.length;
    if (reason.includes('\r')) this.#fail('HPE_LF_EXPECTED', 'Missing expected LF after response line',
      this.#from + 13);
    return { status: Number(code), reason, version };
  }

  /// A line of a head or of what follows the last chunk.
  #field() {
    const line = this.#nextLine(this.most + 32, MessageParser.#OVERFLOW);
    if (line === undefined) return;
    if (line === '\r') {
      if (this.#isTrailer) this.#complete();
      else this.#headed();
      return;
    }
    const name = NAME.exec(line)?.[0] ?? '';
    if (line[name.length] !== ':' || !name) this.#badName(line, name);
    const last = line.length - 1;
    const wrong = line.slice(name.length + 1, last).search(NO_VALUE);
    if (wrong >= 0) {
      const place = this.#from + name.length + 1 + wrong;
      if (line[name.length + 1 + wrong] === '\r')
        this.#fail('HPE_LF_EXPECTED', 'Missing expected LF after header value', place + 1);
      this.#fail('HPE_INVALID_HEADER_TOKEN', 'Invalid header value char', place);
    }
    if (line[last] !== '\r') this.#fail('HPE_CR_EXPECTED', 'Missing expected CR after header value',
      this.#from + last + 1);
    let from = name.length + 1;
    let to = last;
    while (from < to && isSpace(line.charCodeAt(from))) from++;
    while (to > from && isSpace(line.charCodeAt(to - 1))) to--;
    this.#used += name.length + to - from;
    if (this.#used > this.most) this.#fail(...MessageParser.#OVERFLOW, this.#at - 1);
    this.#fields.push(name, line.slice(from, to));
    if (!this.#isTrailer) this.#frame(name.toLowerCase(), line.slice(from, to), this.#from + from);
  }

  #badName(line, name) {
    const first = line.charCodeAt(0);
    if (isSpace(first)) {
      if (!this.#fields.length) this.#fail('HPE_UNEXPECTED_SPACE', 'Unexpected space after start line', this.#from + 1);
      this.#fail('HPE_INVALID_HEADER_TOKEN', 'Unexpected whitespace after header value', this.#from);
    }
    if (line === '') this.#fail('HPE_INVALID_HEADER_TOKEN', 'Invalid header field char', this.#from);
    this.#fail('HPE_INVALID_HEADER_TOKEN', 'Invalid header token', this.#from + name.length);
  }

  /// What a header says of the length: there may be one that does.
  #frame(name, value, place) {
    const framing = this.#framing;
    if (name === 'content-length') {
      const code = 'HPE_INVALID_CONTENT_LENGTH';
      if (framing.length !== undefined)
        this.#fail('HPE_UNEXPECTED_CONTENT_LENGTH', 'Duplicate Content-Length', place);
      if (framing.coding) this.#fail(code, "Content-Length can't be present with Transfer-Encoding", place);
      if (value === '') this.#fail(code, 'Empty Content-Length', place + 1);
      const wrong = value.search(/\D/);
      if (wrong >= 0) this.#fail(code, 'Invalid character in Content-Length', place + wrong);
      if (!Number.isSafeInteger(Number(value))) this.#fail(code, 'Content-Length overflow', place + 19);
      framing.length = Number(value);
    } else if (name === 'transfer-encoding') {
      const code = 'HPE_INVALID_TRANSFER_ENCODING';
      if (framing.length !== undefined) this.#fail(code, "Transfer-Encoding can't be present with Content-Length",
        place);
      const words = wordsOf(value).filter((word) => word !== '');
      const all = [...framing.coding ?? [], ...words];
      if (this.isRequest && all.slice(0, -1).includes('chunked'))
        this.#fail(code, 'Invalid `Transfer-Encoding` header value', place);
      if (all.length) framing.coding = all;
    } else if (name === 'connection' || name === 'proxy-connection') {
      (framing.connection ??= []).push(...wordsOf(value));
    } else if (name === 'upgrade') {
      framing.upgrade = true;
    }
  }

  #headed() {
    const { isRequest } = this;
    const { length, coding, connection = [], upgrade } = this.#framing;
    const info = this.#info;
    const isChunked = coding?.at(-1) === 'chunked' && coding.indexOf('chunked') === coding.length - 1;
    if (isRequest && coding && !isChunked)
      this.#fail('HPE_INVALID_TRANSFER_ENCODING', 'Request has invalid `Transfer-Encoding`', this.#at);
    info.fields = this.#fields;
    const isEmpty = !isRequest && (info.status < 200 || info.status === 204 || info.status === 304);
    const isOpen = !isRequest && !isChunked && length === undefined && !isEmpty;
    const isNew = info.version === '1.1';
    info.keepsAlive = isNew ? !connection.includes('close') : info.version === '1.0' &&
      connection.includes('keep-alive');
    info.isOpen = isOpen;
    info.wantsUpgrade = isRequest
      ? info.method === 'CONNECT' || (!!upgrade && connection.includes('upgrade'))
      : info.status === 101 || (!!upgrade && connection.includes('upgrade') && info.status === 101);
    this.#fields = [];
    const wish = this.told.head(info);
    if (this.isStopped) return;
    if (wish === 'stop') {
      this.#info = undefined;
      this.isStopped = true;
    } else if (wish === 'skip' || isEmpty) {
      if (isOpen) info.isOpen = false;
      this.#complete();
    } else if (isChunked) {
      this.#step = this.#chunkSize;
    } else if (isOpen) {
      info.keepsAlive = false;
      this.#step = this.#untilEnd;
    } else if (length) {
      this.#left = length;
      this.#step = this.#sized;
    } else {
      this.#complete();
    }
  }

  #give(size) {
    const piece = this.#piece.subarray(this.#at, this.#at + size);
    this.#at += piece.length;
    this.told.body(piece);
    return piece.length;
  }

  #untilEnd() { this.#give(this.#piece.length - this.#at); }

  #sized() {
    this.#left -= this.#give(this.#left);
    if (this.#left === 0 && !this.isStopped) this.#complete();
  }

  #chunkSize() {
    const overflow = ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 'Chunk extensions overflow'];
    const line = this.#nextLine(MOST_EXTENSION + 18, overflow);
    const text = line ?? this.#line;
    const code = 'HPE_INVALID_CHUNK_SIZE';
    const digits = /^[\da-fA-F]*/.exec(text)[0].length;
    if (digits > 16) this.#fail(code, 'Chunk size overflow', this.#from + 17);
    if (digits === 0 ? text !== '' : !/[;\r\n]/.test(text[digits] ?? '\n'))
      this.#fail(code, 'Invalid character in chunk size', this.#from + digits);
    if (line === undefined) return;
    if (digits === 0) this.#fail(code, 'Invalid character in chunk size', this.#from);
    const size = Number.parseInt(line.slice(0, digits), 16);
    if (!Number.isSafeInteger(size)) this.#fail(code, 'Chunk size overflow', this.#from + digits);
    const hasExtension = line[digits] === ';';
    if (!line.endsWith('\r')) {
      this.#fail('HPE_CR_EXPECTED', `Missing expected CR after chunk ${hasExtension ? 'extension name' : 'size'}`,
        this.#from + line.length + 1);
    }
    const wrong = line.slice(digits, -1);
    if (!hasExtension && wrong !== '') this.#fail(code, 'Invalid character in chunk size', this.#from + digits);
    if (!EXTENSION.test(wrong))
      this.#fail('HPE_STRICT', 'Invalid character in chunk extensions name',
        this.#from + digits + wrong.search(NO_VALUE) + 1);
    this.#left = size;
    if (size > 0) this.#step = this.#chunk;
    else {
      this.#isTrailer = true;
      this.#used = 0;
      this.#step = this.#field;
    }
  }

  #chunk() {
    this.#left -= this.#give(this.#left);
    if (this.#left === 0) this.#step = this.#chunkEnd;
  }

  #chunkEnd() {
    const byte = this.#piece[this.#at];
    if (this.#line === '') {
      if (byte === LF) this.#fail('HPE_CR_EXPECTED', 'Missing expected CR after chunk data', this.#at + 1);
      if (byte !== CR) this.#fail('HPE_STRICT', 'Expected LF after chunk data', this.#at);
      this.#line = '\r';
    } else {
      if (byte !== LF) this.#fail('HPE_STRICT', 'Expected LF after chunk data', this.#at);
      this.#line = '';
      this.#step = this.#chunkSize;
    }
    this.#at++;
  }

  #complete() {
    const info = this.#info;
    const isLast = !info.keepsAlive && !(info.status >= 100 && info.status < 200);
    this.#info = undefined;
    this.#step = isLast && this.isRequest ? this.#afterLast : this.#start;
    this.told.end(this.#fields);
  }

  /// Nothing is to come after the message that said so.
  #afterLast() {
    while (this.#piece[this.#at] === CR || this.#piece[this.#at] === LF) this.#at++;
    if (this.#at < this.#piece.length)
      this.#fail('HPE_CLOSED_CONNECTION', 'Data after `Connection: close`', this.#at + 1);
  }
}

const isSpace = (code) => code === 32 || code === 9;

module.exports = { MessageParser };
