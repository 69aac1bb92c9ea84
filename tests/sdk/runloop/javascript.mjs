// The official JavaScript SDK of Runloop, which uses HTTP/2 without TLS.
import assert from 'node:assert/strict'
import { toFile, RunloopSDK } from '@runloop/api-client'
import { check, main, rejects } from './checks.mjs'

const sdk = new RunloopSDK()

check('commands', async () => {
  const devbox = await sdk.devbox.create({ name: 'js', environment_variables: { A: '1' } })
  const done = await devbox.cmd.exec('echo out; echo err >&2; echo $A; exit 3')
  assert.deepEqual([await done.stdout(), await done.stderr(), done.exitCode], ['out\n1\n', 'err\n', 3])
  const seen = []
  await devbox.cmd.exec('echo one; sleep 0.2; echo two', { stdout: (text) => seen.push(text) })
  assert.equal(seen.join('\n').replace(/\n+/g, '\n').trim(), 'one\ntwo')
  const sleeper = await devbox.cmd.execAsync('sleep 30')
  await sleeper.kill()
  assert.equal((await sleeper.result()).exitCode, 137)
  await devbox.shutdown()
})

check('files', async () => {
  const devbox = await sdk.devbox.create()
  const content = new Uint8Array(1000).map((_, index) => index % 256)
  await devbox.file.upload({ path: '/home/user/a.bin', file: await toFile(content, 'a.bin') })
  const back = await devbox.file.download({ path: '/home/user/a.bin' })
  assert.deepEqual(new Uint8Array(await back.arrayBuffer()), content)
  await devbox.file.write({ file_path: '/tmp/t', contents: 'ü' })
  assert.equal(await devbox.file.read({ file_path: '/tmp/t' }), 'ü')
  assert.equal((await rejects(null, () => devbox.file.read({ file_path: '/nope' }))).status, 404)
  await devbox.shutdown()
})

check('lifecycle', async () => {
  const devbox = await sdk.devbox.create({ metadata: { js: 'a b' } })
  await devbox.file.write({ file_path: '/home/user/kept', contents: 'kept' })
  const snapshot = await devbox.snapshotDisk({ name: 's' })
  const copy = await sdk.devbox.createFromSnapshot(snapshot.id)
  assert.equal(await copy.file.read({ file_path: '/home/user/kept' }), 'kept')
  const listed = await sdk.devbox.list({ status: 'running' })
  assert(listed.some((other) => other.id === devbox.id))
  await devbox.suspend()
  await devbox.resume()
  assert.deepEqual((await devbox.getInfo()).metadata, { js: 'a b' })
  await copy.shutdown()
  await devbox.shutdown()
  assert.equal((await devbox.getInfo()).status, 'shutdown')
})

await main()
