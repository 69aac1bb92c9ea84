// The official JavaScript SDK of LangSmith sandboxes.
import assert from 'node:assert/strict'
import { SandboxClient } from 'langsmith/sandbox'
import { check, eventually, main, rejects } from './checks.mjs'

// By default it appends a different path than the Python SDK.
const client = new SandboxClient()

check('commands', async () => {
  const box = await client.createSandbox()
  const done = await box.run('echo out; echo err >&2; echo $A; pwd; exit 3', { env: { A: '1' }, cwd: '/tmp' })
  assert.deepEqual([done.stdout, done.stderr, done.exit_code], ['out\n1\n/tmp\n', 'err\n', 3])
  const handle = await box.run('echo one; sleep 0.2; echo two', { wait: false })
  const seen = []
  for await (const chunk of handle) seen.push(chunk.data)
  assert.equal(seen.join(''), 'one\ntwo\n')
  const sleeper = await box.run('sleep 30', { wait: false })
  await sleeper.kill()
  assert.equal((await (await box.reconnect(sleeper.commandId)).result).exit_code, 137)
  await rejects(null, () => box.run('sleep 30', { timeout: 1 }))
  await box.delete()
})

check('files', async () => {
  const box = await client.createSandbox()
  const content = new Uint8Array(1000).map((_, index) => index % 256)
  await box.write('/root/a.bin', content)
  assert.deepEqual(new Uint8Array(await box.read('/root/a.bin')), content)
  await rejects(null, () => box.read('/nope'))
  await box.delete()
})

check('lifecycle', async () => {
  const box = await client.createSandbox({ name: 'js-kept' })
  await box.write('/root/kept', 'kept')
  const snapshot = await client.captureSnapshot('js-kept', 'js-snapshot')
  const copy = await client.createSandbox(snapshot.id)
  assert.equal(Buffer.from(await copy.read('/root/kept')).toString(), 'kept')
  await copy.delete()
  assert((await client.listSandboxes()).some((other) => other.name === 'js-kept'))
  await client.stopSandbox('js-kept')
  await eventually(async () => (await client.getSandboxStatus('js-kept')).status === 'stopped')
  await client.startSandbox('js-kept')
  assert.equal(Buffer.from(await box.read('/root/kept')).toString(), 'kept')
  await client.deleteSnapshot(snapshot.id)
  await box.delete()
  await rejects(null, () => client.getSandbox('js-kept'))
})

await main()
