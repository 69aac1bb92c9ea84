// The official JavaScript SDK of E2B.
import assert from 'node:assert/strict'
import { CommandExitError, NotFoundError, Sandbox, TimeoutError } from 'e2b'
import { check, main, rejects } from './checks.mjs'

check('commands', async () => {
  const sandbox = await Sandbox.create({ envs: { A: '1' }, metadata: { k: 'v' } })
  const done = await sandbox.commands.run('echo out; echo err >&2; echo $A$B; pwd', { envs: { B: '2' }, cwd: '/tmp' })
  assert.deepEqual([done.stdout, done.stderr, done.exitCode], ['out\n12\n/tmp\n', 'err\n', 0])
  const failed = await rejects(CommandExitError, () => sandbox.commands.run('exit 3'))
  assert.equal(failed.exitCode, 3)
  await rejects(TimeoutError, () => sandbox.commands.run('sleep 30', { timeoutMs: 1000 }))
  assert.equal(await sandbox.kill(), true)
})

check('input', async () => {
  const sandbox = await Sandbox.create()
  const handle = await sandbox.commands.run('cat', { background: true, stdin: true })
  await sandbox.commands.sendStdin(handle.pid, 'one\n')
  await sandbox.commands.closeStdin(handle.pid)
  assert.equal((await handle.wait()).stdout, 'one\n')
  const sleeper = await sandbox.commands.run('sleep 30', { background: true })
  assert.equal(await sleeper.kill(), true)
  await sandbox.kill()
})

check('files', async () => {
  const sandbox = await Sandbox.create()
  const content = new Uint8Array(1000).map((_, index) => index % 256)
  await sandbox.files.write('/home/user/a.bin', content.buffer)
  assert.deepEqual(await sandbox.files.read('/home/user/a.bin', { format: 'bytes' }), content)
  await sandbox.files.write('text', 'ü')
  assert.equal(await sandbox.files.read('text'), 'ü')
  assert.deepEqual((await sandbox.files.list('/home/user')).map((entry) => entry.name), ['a.bin', 'text'])
  await rejects(NotFoundError, () => sandbox.files.read('/nope'))
  await sandbox.kill()
})

check('lifecycle', async () => {
  const sandbox = await Sandbox.create({ metadata: { js: 'a b' } })
  await sandbox.files.write('/tmp/kept', 'kept')
  const page = await Sandbox.list({ query: { metadata: { js: 'a b' } } }).nextItems()
  assert.deepEqual(page.map((entry) => entry.sandboxId), [sandbox.sandboxId])
  await sandbox.pause()
  const again = await Sandbox.connect(sandbox.sandboxId)
  assert.equal(await again.files.read('/tmp/kept'), 'kept')
  await again.setTimeout(60_000)
  await again.kill()
  await rejects(NotFoundError, () => Sandbox.connect(sandbox.sandboxId))
})

await main()
