// The official JavaScript SDK of Deno Sandbox.
import assert from 'node:assert/strict'
import { Client, Sandbox } from '@deno/sandbox'
import { check, eventually, main, rejects } from './checks.mjs'

const client = new Client()
/** Creates a sandbox for `run`, whose socket is closed afterwards. */
async function inSandbox(options, run) {
  const sandbox = await Sandbox.create(options)
  try {
    await run(sandbox)
  } finally {
    await sandbox.close()
  }
}

const piped = { stdout: 'piped', stderr: 'piped' }

check('commands', () =>
  inSandbox({ env: { A: '1' } }, async (sandbox) => {
    const options = { ...piped, args: ['-c', 'echo out; echo err >&2; echo $A$B; pwd; exit 3'], env: { B: '2' }, cwd: '/tmp' }
    const { status, stdoutText, stderrText } = await (await sandbox.spawn('bash', options)).output()
    assert.deepEqual([stdoutText, stderrText], ['out\n12\n/tmp\n', 'err\n'])
    assert.deepEqual(status, { success: false, code: 3, signal: null, oom: false })
    assert.equal(await sandbox.sh`echo ${'it is'}; pwd`.text(), 'it is\n/home/app\n')
    assert.equal((await sandbox.sh`exit 4`.noThrow()).status.code, 4)
    assert.equal((await sandbox.env.toObject()).A, '1')
    assert.equal(await sandbox.env.get('nothing'), undefined)
    const bare = await sandbox.spawn('env', { ...piped, clearEnv: true, env: { ONLY: 'x' } })
    assert.match((await bare.output()).stdoutText, /^ONLY=x\n/)
    const missing = await rejects(Error, () => sandbox.spawn('no-such-command'))
    assert.equal(missing.code, 'ENOENT')
  }),
)

check('input and signals', () =>
  inSandbox({}, async (sandbox) => {
    const cat = await sandbox.spawn('cat', { ...piped, stdin: 'piped' })
    const writer = cat.stdin.getWriter()
    await writer.write(new TextEncoder().encode('one\n'))
    await writer.close()
    assert.equal((await cat.output()).stdoutText, 'one\n')
    const sleeper = await sandbox.spawn('sleep', { ...piped, args: ['30'] })
    await sleeper.kill('SIGKILL')
    assert.equal((await sleeper.status).signal, 'SIGKILL')
    // Killing a process that has ended is no error.
    await sleeper.kill()
    const late = await sandbox.spawn('sleep', { ...piped, args: ['30'], signal: AbortSignal.timeout(200) })
    const { status } = await late.output()
    assert.deepEqual([status.signal, status.code], ['SIGTERM', 143])
  }),
)

check('files', () =>
  inSandbox({}, async (sandbox) => {
    const content = new Uint8Array(100_000).map((_, index) => index % 256)
    await sandbox.fs.mkdir('/tmp/deep/er', { recursive: true })
    await sandbox.fs.writeFile('/tmp/deep/er/a.bin', content)
    assert.deepEqual(await sandbox.fs.readFile('/tmp/deep/er/a.bin'), content)
    await sandbox.fs.writeFile('/tmp/streamed', new Blob([content]).stream())
    assert.deepEqual(await sandbox.fs.readFile('/tmp/streamed'), content)
    await sandbox.fs.writeTextFile('text', 'ü', { mode: 0o600 })
    assert.equal(await sandbox.fs.readTextFile('/home/app/text'), 'ü')
    const info = await sandbox.fs.stat('text')
    assert.deepEqual([info.isFile, info.size, info.mode & 0o777], [true, 2, 0o600])
    assert.ok(Math.abs(info.mtime - Date.now()) < 60_000)
    const names = []
    for await (const entry of await sandbox.fs.readDir('/tmp/deep')) names.push([entry.name, entry.isDirectory])
    assert.deepEqual(names, [['er', true]])
    assert.equal((await rejects(Error, () => sandbox.fs.readFile('/nope'))).code, 'ENOENT')
    assert.equal((await rejects(Error, () => sandbox.fs.remove('/tmp/deep'))).code, 'ENOTEMPTY')
  }),
)

check('walks', () =>
  inSandbox({}, async (sandbox) => {
    await sandbox.fs.mkdir('/tmp/w/e', { recursive: true })
    await sandbox.fs.writeTextFile('/tmp/w/e/a.json', '{}')
    const paths = []
    for await (const entry of sandbox.fs.walk('/tmp/w', { includeDirs: false })) paths.push([entry.path, entry.isFile])
    assert.deepEqual(paths, [['/tmp/w/e/a.json', true]])
    const found = []
    for await (const entry of sandbox.fs.expandGlob('/tmp/w/**/*.json')) found.push(entry.name)
    assert.deepEqual(found, ['a.json'])
    const refused = await rejects(Error, () => sandbox.fs.open('/tmp/w/e/a.json'))
    assert.match(refused.message, /not emulated by sandshell/)
  }),
)

check('lifecycle', async () => {
  const sandbox = await Sandbox.create({ timeout: '5m', labels: { js: 'a b' } })
  await sandbox.fs.writeTextFile('kept', 'kept')
  await sandbox.close()
  const again = await Sandbox.connect(sandbox.id)
  assert.equal(again.id, sandbox.id)
  assert.equal(await again.fs.readTextFile('kept'), 'kept')
  const [listed, ...others] = await client.sandboxes.list({ labels: { js: 'a b' } })
  assert.deepEqual([listed.id, listed.status, others.length], [sandbox.id, 'running', 0])
  assert.ok((await again.extendTimeout('10m')) - Date.now() > 500_000)
  await again.kill()
  assert.deepEqual(await client.sandboxes.list({ labels: { js: 'a b' } }), [])
  assert.equal((await rejects(Error, () => Sandbox.connect(sandbox.id))).code, 'SANDBOX_NOT_FOUND')
})

check('the end closes sockets', async () => {
  const sandbox = await Sandbox.create({ timeout: '1s', labels: { short: 'yes' } })
  await sandbox.closed
  await eventually(async () => (await client.sandboxes.list({ labels: { short: 'yes' } })).length === 0)
})

await main()
