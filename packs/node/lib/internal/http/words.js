// What HTTP calls things: methods, codes of status, and which characters names and values may have.

const { coded } = require('internal/errors');

/// What codes of status are called, from the first of each row on.
const STATUS = `
  100 Continue, Switching Protocols, Processing, Early Hints
  200 OK, Created, Accepted, Non-Authoritative Information, No Content, Reset Content, Partial Content
  207 Multi-Status, Already Reported
  226 IM Used
  300 Multiple Choices, Moved Permanently, Found, See Other, Not Modified, Use Proxy
  307 Temporary Redirect, Permanent Redirect
  400 Bad Request, Unauthorized, Payment Required, Forbidden, Not Found, Method Not Allowed, Not Acceptable
  407 Proxy Authentication Required, Request Timeout, Conflict, Gone, Length Required, Precondition Failed
  413 Payload Too Large, URI Too Long, Unsupported Media Type, Range Not Satisfiable, Expectation Failed
  418 I'm a Teapot
  421 Misdirected Request, Unprocessable Entity, Locked, Failed Dependency, Too Early, Upgrade Required
  428 Precondition Required, Too Many Requests
  431 Request Header Fields Too Large
  451 Unavailable For Legal Reasons
  500 Internal Server Error, Not Implemented, Bad Gateway, Service Unavailable, Gateway Timeout
  505 HTTP Version Not Supported, Variant Also Negotiates, Insufficient Storage, Loop Detected
  509 Bandwidth Limit Exceeded, Not Extended, Network Authentication Required
`;
const STATUS_CODES = {};
for (const [, first, row] of STATUS.matchAll(/(\d+) (.+)/g))
  row.split(', ').forEach((words, i) => { STATUS_CODES[Number(first) + i] = words; });

const METHODS = `
  ACL BIND CHECKOUT CONNECT COPY DELETE GET HEAD LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY
  OPTIONS PATCH POST PROPFIND PROPPATCH PURGE PUT QUERY REBIND REPORT SEARCH SOURCE SUBSCRIBE TRACE UNBIND UNLINK
  UNLOCK UNSUBSCRIBE
`.trim().split(/\s+/);

const TOKEN = /^[\w!#$%&'*+\-.^`|~]+$/;
const isToken = (text) => typeof text === 'string' && TOKEN.test(text);

/// What cannot be in the value of a header.
const NO_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

function validateHeaderName(name, label = 'Header name') {
  if (!isToken(name)) throw coded(TypeError, 'ERR_INVALID_HTTP_TOKEN',
    `${label} must be a valid HTTP token ["${name}"]`);
}

function validateHeaderValue(name, value) {
  if (value === undefined)
    throw coded(TypeError, 'ERR_HTTP_INVALID_HEADER_VALUE', `Invalid value "${value}" for header "${name}"`);
  if (NO_VALUE.test(`${value}`))
    throw coded(TypeError, 'ERR_INVALID_CHAR', `Invalid character in header content ["${name}"]`);
}

/// The reset of a connection before there was an answer.
function hungUp(message = 'socket hang up') {
  return Object.assign(new Error(message), { code: 'ECONNRESET' });
}

/// Ends a connection when all has been written. A stream that is no socket only has its own end.
function endSoon(socket) {
  const end = socket.destroySoon ?? socket.end;
  end.call(socket);
}

let second = 0;
let text = '';
/// The time as the header `Date` has it, made anew once in a second.
function now() {
  const time = Math.trunc(Date.now() / 1000);
  if (time !== second) {
    second = time;
    text = new Date(time * 1000).toUTCString();
  }
  return text;
}

/// The words of a list that commas separate, in small letters.
const wordsOf = (value) => `${value}`.toLowerCase().split(',').map((word) => word.trim());

module.exports = {
  METHODS, STATUS_CODES, NO_VALUE, isToken, validateHeaderName, validateHeaderValue, hungUp, endSoon, now, wordsOf,
};
