// What the server is asked.

/** Asks for something; an error has the server's own words. */
export async function ask(what, query = {}) {
  return answered(await send(`api/${what}?${parameters(query)}`));
}

export async function type(body) {
  const headers = { "content-type": "application/json" };
  return answered(await send("api/terminal", { method: "POST", headers, body: JSON.stringify(body) }));
}

export async function endTerminal(id) {
  return answered(await send(`api/terminal?${parameters({ id })}`, { method: "DELETE" }));
}

/** The address of a download. */
export function download(query) {
  return `api/download?${parameters(query)}`;
}

function parameters(query) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return given.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
}

async function send(address, options) {
  try {
    return await fetch(address, options);
  } catch {
    throw new Error("`sandshell ui` does not answer: it may have ended");
  }
}

async function answered(response) {
  const json = response.headers.get("content-type") === "application/json";
  const body = json ? await response.json() : { error: (await response.text()).trim() };
  if (!response.ok) throw new Error(body.error);
  return body;
}

/** Calls `changed` when something has changed, at most twice a second, and `connected` when the connection comes or goes. */
export function listen(changed, connected) {
  let source = null;
  let waiting = false;
  let late;
  const tell = () => {
    if (waiting) return;
    waiting = true;
    changed();
    setTimeout(() => { waiting = false; }, 500);
  };
  const later = () => {
    // A lock that is given back leaves no trace in the store, and what came while waiting counts as well.
    clearTimeout(late);
    late = setTimeout(tell, 1200);
  };
  const open = () => {
    if (source) return;
    source = new EventSource("api/updates");
    source.onopen = () => { connected(true); tell(); };
    source.onerror = () => connected(false);
    source.onmessage = () => { tell(); later(); };
  };
  const close = () => {
    source?.close();
    source = null;
  };
  // A browser has few connections to a server: pages that nobody sees must not hold them.
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  if (!document.hidden) open();
}
