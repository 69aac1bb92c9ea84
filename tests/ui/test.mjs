// Tests the page of `sandshell ui` in a real browser.
//
//   npm ci && npm test
//
// SANDSHELL: the program, if it is not target/debug/sandshell. CHROMIUM: the browser, if it is not /usr/bin/chromium.
// SCREENSHOTS: a directory for pictures of all views. PAGE=disk: the page's files come from the source tree, so that the
// program need not be built again after a change of theirs.

import assert from "node:assert/strict";
import { spawn, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import puppeteer from "puppeteer-core";

const top = resolve(import.meta.dirname, "../..");
const program = process.env.SANDSHELL ?? join(top, "target/debug/sandshell");
const chromium = process.env.CHROMIUM ?? "/usr/bin/chromium";
const screenshots = process.env.SCREENSHOTS;
const home = mkdtempSync(join(tmpdir(), "sandshell-ui-"));
const data = join(home, "data");
const env = { HOME: home, PATH: "/usr/bin:/bin", SANDSHELL_DATA_DIR: data, LANG: "C.UTF-8" };
const sandshell = (...args) => execFileSync(program, args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const execute = (id, command) => sandshell("exec", "--sandbox-id", id, command);

/** What a hostile agent would write, hoping that somebody looks at it with a browser. */
const ATTACK = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>";

async function until(what, condition, patience = 15_000) {
  const end = Date.now() + patience;
  for (;;) {
    const found = await condition().catch(() => false);
    if (found) return found;
    if (Date.now() > end) throw new Error(`in vain: ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

function prepare() {
  const id = sandshell("create", "--label", "job=7", "--label", `note=${ATTACK}`).trim();
  execute(id, "printf 'one\\ntwo\\nthree\\n' > numbers; mkdir -p src/deep; echo 'fn main() {}' > src/main.rs");
  execute(id, "printf 'one\\n2\\nthree\\nfour\\n' > numbers; rm src/main.rs; printf '\\0\\1\\2' > binary; ln -s numbers link");
  execute(id, `cat > 'a<b>.html' <<'X'\n${ATTACK}\nX\ntouch -- ${JSON.stringify("\u202egnp.exe")} $'new\\nline' $'caf\\xe9'`);
  execute(id, `printf '\\e[31mred\\e[0m \\e]0;owned\\a\\n'; echo ${JSON.stringify(ATTACK)}; echo problem >&2`);
  try { execute(id, "echo before; exit 3"); } catch { /* the status is what is wanted */ }
  execute(id, "mkdir many; cd many; for i in {1..1200}; do : > f$i; done; seq 100000");
  sandshell("snapshot", id, "--name", "prepared");
  const second = sandshell("create", "--label", "job=8").trim();
  execute(second, "python3 --version 2>/dev/null || echo no python; df -h / > space");
  return { id, second };
}

function serve() {
  const child = spawn(program, ["ui"], { env, stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((done, fail) => {
    let text = "";
    child.stdout.on("data", (piece) => {
      text += piece;
      if (text.includes("\n")) done({ child, url: text.trim() });
    });
    child.on("exit", (status) => fail(new Error(`sandshell ui has ended with ${status}`)));
  });
}

/** A request of our own, with any headers. */
function send(url, headers = {}, method = "GET", body = undefined) {
  return new Promise((done, fail) => {
    const asked = request(url, { method, headers }, (response) => {
      let text = "";
      response.on("data", (piece) => { text += piece; });
      response.on("end", () => done({ status: response.statusCode, headers: response.headers, text }));
    });
    asked.on("error", fail);
    asked.end(body);
  });
}

async function main() {
  const { id, second } = prepare();
  const { child, url } = await serve();
  const browser = await puppeteer.launch({
    executablePath: chromium,
    args: [...(process.getuid() === 0 ? ["--no-sandbox"] : []), "--disable-gpu", "--disable-dev-shm-usage"],
  });
  try {
    const page = await browser.newPage();
    await page.setViewport({ width: 1200, height: 800 });
    const problems = [];
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(String(error)));
    const elsewhere = [];
    page.on("request", (asked) => asked.url().startsWith(new URL(url).origin) || elsewhere.push(asked.url()));
    if (process.env.PAGE === "disk") await fromDisk(page);
    for (const [name, test] of Object.entries(tests)) {
      const begun = Date.now();
      await test({ page, url, id, second, child, problems });
      assert.deepEqual(problems.splice(0), [], name);
      assert.notEqual(await page.title(), "owned", name);
      console.log(`ok ${name} (${Date.now() - begun} ms)`);
    }
    assert.deepEqual(elsewhere, []);
  } finally {
    await browser.close();
    child.kill("SIGKILL");
    rmSync(home, { recursive: true, force: true });
  }
}

async function fromDisk(page) {
  await page.setRequestInterception(true);
  page.on("request", (asked) => {
    const name = new URL(asked.url()).pathname.replace(/^\/[0-9a-f]+\//, "") || "index.html";
    const file = join(top, "src/cli/ui/page", name);
    const kind = { js: "text/javascript", css: "text/css", html: "text/html" }[name.split(".").pop()];
    if (!/^[a-z]+\.\w+$/.test(name) || !kind || !existsSync(file)) return asked.continue();
    asked.respond({ contentType: kind, body: readFileSync(file) });
  });
}

async function picture(page, name) {
  if (!screenshots) return;
  mkdirSync(screenshots, { recursive: true });
  for (const [scheme, width] of [["light", 1200], ["dark", 1200], ["light", 420]]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.setViewport({ width, height: 800 });
    await new Promise((done) => setTimeout(done, 300));
    await page.screenshot({ path: join(screenshots, `${name}-${scheme}-${width}.png`) });
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(over <= 0, `${name} is ${over} pixels wider than the window of ${width}`);
  }
  await page.emulateMediaFeatures([]);
  await page.setViewport({ width: 1200, height: 800 });
}

const text = (page, selector = "main") => page.$eval(selector, (element) => element.innerText);
const shows = (page, what, selector = "main") => until(`${selector} shows ${what}`, async () => (await text(page, selector)).includes(what));

async function go(page, id, tab, query = "") {
  await page.evaluate((hash) => { location.hash = hash; }, `#/${id}/${tab}${query}`);
  await until(tab, () => page.$eval(".tabs a[aria-current]", (link, tab) => link.hash.endsWith(tab), tab));
}

const tests = {
  async "the token becomes a cookie and leaves the address"({ page, url }) {
    await page.goto(url);
    await shows(page, "Sandboxes");
    assert.ok(!page.url().includes("token"), page.url());
    assert.equal(await page.evaluate(() => document.cookie), "");
    const cookies = await page.browserContext().cookies();
    const cookie = cookies.find((one) => one.name.startsWith("sandshell-"));
    assert.ok(cookie.httpOnly && cookie.sameSite === "Strict" && cookie.path.length > 30, JSON.stringify(cookie));
    assert.ok(!(await page.evaluate(() => performance.getEntriesByType("navigation")[0].name)).includes("token"));
  },

  async "nobody else gets in"({ page, url }) {
    const { origin, host } = new URL(url);
    const [cookie] = await page.browserContext().cookies();
    const own = { cookie: `${cookie.name}=${cookie.value}` };
    const api = `${origin}${cookie.path}api/sandboxes`;
    assert.equal((await send(api, own)).status, 200);
    const refused = {
      "without a cookie": [api, {}],
      "with another cookie": [api, { cookie: `${cookie.name}=${"0".repeat(64)}` }],
      "without a token": [`${origin}/`, {}],
      "with a wrong token": [`${origin}/?token=${"0".repeat(64)}`, {}],
      "by another name (DNS rebinding)": [api, { ...own, host: `evil.example:${host.split(":")[1]}` }],
      "from another page": [api, { ...own, origin: "http://evil.example" }],
      "from a page on another port": [api, { ...own, origin: "http://127.0.0.1:1" }],
      "from a page without a name": [api, { ...own, origin: "null" }],
      "from a page that sends no Origin": [api, { ...own, "sec-fetch-site": "same-site" }],
      "typing without an Origin": [api.replace("sandboxes", "terminal"), own, "POST", "{}"],
      "typing from another page": [api.replace("sandboxes", "terminal"), { ...own, origin: "http://evil.example" }, "POST", "{}"],
    };
    for (const [how, [address, headers, method, body]] of Object.entries(refused)) {
      const answer = await send(address, headers, method, body);
      assert.equal(answer.status, 403, how);
      assert.match(answer.headers["content-security-policy"], /default-src 'none'/, how);
    }
    const answer = await send(`${origin}${cookie.path}`, own);
    assert.equal(answer.headers["x-content-type-options"], "nosniff");
    assert.equal(answer.headers["x-frame-options"], "DENY");
    assert.ok(!answer.headers["content-security-policy"].includes("unsafe"));
  },

  async "sandboxes, by label"({ page, id, second }) {
    await shows(page, id);
    await shows(page, second);
    await shows(page, `note=${ATTACK}`);
    await picture(page, "list");
    await page.type("input[type=search]", "job=8");
    await until("the filter", async () => !(await text(page)).includes(id));
    await page.$eval("input[type=search]", (field) => { field.value = ""; field.dispatchEvent(new Event("input")); });
    await shows(page, id);
  },

  async "the timeline has commands, results and outputs"({ page, id }) {
    await go(page, id, "timeline");
    await shows(page, "status 3");
    await shows(page, "created");
    await picture(page, "timeline");
    const open = async (command) => {
      for (const summary of await page.$$("summary")) {
        if ((await summary.evaluate((one) => one.innerText)).includes(command)) return summary.click();
      }
      throw new Error(command);
    };
    await open("31mred");
    await shows(page, "problem");
    await shows(page, ATTACK, "ol.items");
    const seen = await text(page);
    assert.ok(seen.includes("^[[31mred^[[0m ^[]0;owned^G"), seen);
    await open("seq 100000");
    await shows(page, "are not kept");
    await shows(page, "100000\n");
    assert.equal(await page.$("main img, main script"), null);
    await picture(page, "output");
  },

  async "a change is seen while it is made"({ page, id }) {
    const before = (await page.$$(".items > li")).length;
    const running = spawn(program, ["exec", "--sandbox-id", id, "sleep 3; echo done > slow"], { env, stdio: "ignore" });
    await shows(page, "running");
    await shows(page, "in use by process");
    // What was unfolded stays so.
    assert.equal((await page.$$("details[open]")).length, 2);
    await new Promise((done) => running.on("exit", done));
    await until("the new call", async () => (await page.$$(".items > li")).length === before + 1);
    await until("its end", async () => !(await text(page)).includes("running"));
    await until("the lock's end", async () => !(await text(page)).includes("in use by"));
  },

  async "files of any name and kind"({ page, id }) {
    await go(page, id, "files", "?path=%2Fworkspace");
    await shows(page, "numbers");
    for (const name of ["a<b>.html", "\\u{202e}gnp.exe", "new\\nline", "caf\\xe9", "link → numbers"]) await shows(page, name);
    await picture(page, "files");
    await page.click("a[data-key='/workspace/many']");
    await shows(page, "f1");
    const rows = async () => (await page.$$("tbody tr")).length;
    assert.equal(await rows(), 500);
    await page.click("button[data-key=more]");
    await until("more names", async () => (await rows()) === 1000);
    await page.click("button[data-key=more]");
    await until("all names", async () => (await rows()) === 1200);
    await go(page, id, "files", "?path=%2Fworkspace%2Fa%3Cb%3E.html&file=1");
    await shows(page, "Download");
    await shows(page, ATTACK, "main pre");
    const [header, kind] = await page.evaluate(async (address) => {
      const answer = await fetch(address);
      return [answer.headers.get("content-disposition"), answer.headers.get("content-type")];
    }, await page.$eval("a[data-key=download]", (link) => link.href));
    assert.match(header, /^attachment; filename="a_b_\.html"/);
    assert.equal(kind, "application/octet-stream");
    await go(page, id, "files", "?path=%2Fworkspace%2Fcaf%F4%8F%BF%A9&file=1");
    await shows(page, "The file is empty");
    await go(page, id, "files", "?path=%2Fworkspace%2Fbinary&file=1");
    await shows(page, "It is not text");
    await go(page, id, "files", "?path=%2Fworkspace%2Fnumbers&file=1&at=2");
    await shows(page, "two");
  },

  async "differences of states and snapshots"({ page, id }) {
    await go(page, id, "changes", "?from=2&to=3");
    await shows(page, "/workspace/numbers");
    await shows(page, "removed");
    for (const summary of await page.$$("summary")) await summary.click();
    await shows(page, "+2");
    await shows(page, "-two");
    await shows(page, "it is not text");
    await picture(page, "changes");
    await go(page, id, "changes", "?from=2&to=prepared");
    await shows(page, "files differ");
  },

  async "limits, and no network"({ page, id }) {
    await go(page, id, "overview");
    await shows(page, "There is no network");
    assert.ok((await page.$$("meter")).length >= 3);
    await picture(page, "overview");
  },

  async "all of it with the keyboard"({ page, id }) {
    await page.evaluate(() => { location.hash = "#/"; });
    await shows(page, "Sandboxes");
    const focused = () => page.evaluate(() => document.activeElement.innerText || document.activeElement.tagName);
    await page.focus(".skip");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    for (let presses = 0; !(await focused()).includes(id); presses += 1) {
      assert.ok(presses < 10, await focused());
      await page.keyboard.press("Tab");
    }
    await picture(page, "focus");
    await page.keyboard.press("Enter");
    await shows(page, "Timeline");
    for (let presses = 0; (await focused()) !== "Files"; presses += 1) {
      assert.ok(presses < 10, await focused());
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    await shows(page, "workspace");
    const unnamed = await page.evaluate(async () => {
      const named = (one) => one.innerText?.trim() || one.getAttribute("aria-label") || one.labels?.length;
      return [...document.querySelectorAll("a, button, input, select, textarea, summary")].filter((one) => !named(one)).map((one) => one.outerHTML);
    });
    assert.deepEqual(unnamed, []);
  },

  async "a terminal"({ page, id, second }) {
    await go(page, second, "terminal");
    await page.click("button[data-key=open]");
    await shows(page, "$");
    await page.keyboard.type("x=$((6 * 7)); echo answer $x > note; cat note\n");
    await shows(page, "answer 42");
    await page.keyboard.type("sleep 60\n");
    await shows(page, "sleep 60");
    await picture(page, "terminal");
    await go(page, second, "overview");
    await shows(page, "sleep 60");
    await picture(page, "processes");
    await go(page, second, "terminal");
    await page.click("button[data-key=open]");
    await shows(page, "answer 42");
    await page.focus("textarea");
    await page.keyboard.down("Control");
    await page.keyboard.press("c");
    await page.keyboard.up("Control");
    await shows(page, "^C");
    // Another process waits, and goes on when the terminal is closed.
    const other = spawn(program, ["exec", "--sandbox-id", second, "cat note"], { env, stdio: ["ignore", "pipe", "ignore"] });
    let said = "";
    other.stdout.on("data", (piece) => { said += piece; });
    await page.keyboard.down("Shift");
    await page.keyboard.press("Tab");
    await page.keyboard.up("Shift");
    assert.equal(await page.evaluate(() => document.activeElement.innerText), "Close the terminal");
    assert.equal(said, "");
    await page.keyboard.press("Enter");
    await shows(page, "closed");
    await new Promise((done) => other.on("exit", done));
    assert.equal(said, "answer 42\n");
    await go(page, id, "timeline");
  },

  async "the program ends at once, and the page says so"({ page, child, problems }) {
    const begun = Date.now();
    child.removeAllListeners("exit");
    const ended = new Promise((done) => child.on("exit", done));
    child.kill("SIGINT");
    assert.equal(await ended, 0);
    assert.ok(Date.now() - begun < 1000, `${Date.now() - begun} ms`);
    await shows(page, "not connected", "header");
    // The browser reports what it cannot reach any more.
    assert.deepEqual(problems.splice(0).filter((one) => !one.includes("net::ERR_")), []);
    page.removeAllListeners("console");
  },
};

await main();
