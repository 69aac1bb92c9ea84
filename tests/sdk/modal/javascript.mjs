// The official JavaScript SDK of Modal.
import assert from 'node:assert/strict'
import { ModalClient, NotFoundError } from 'modal'
import { check, main, rejects } from './checks.mjs'

const client = new ModalClient()
const app = await client.apps.fromName('checks', { createIfMissing: true })
const image = client.images.fromRegistry('debian:12')

check('commands', async () => {
  const sandbox = await client.sandboxes.create(app, image, { workdir: '/tmp' })
  const process = await sandbox.exec(['bash', '-c', 'echo out; echo err >&2; echo $A; pwd; exit 3'], { env: { A: '1' } })
  assert.deepEqual([await process.stdout.readText(), await process.stderr.readText()], ['out\n1\n/tmp\n', 'err\n'])
  assert.equal(await process.wait(), 3)
  const cat = await sandbox.exec(['cat'])
  await cat.stdin.writeText('one\n')
  await cat.stdin.close()
  assert.equal(await cat.stdout.readText(), 'one\n')
  await sandbox.terminate()
})

check('lifecycle', async () => {
  const sandbox = await client.sandboxes.create(app, image, { tags: { js: 'a b' } })
  const again = await client.sandboxes.fromId(sandbox.sandboxId)
  assert.deepEqual(await again.getTags(), { js: 'a b' })
  assert.equal(await again.poll(), null)
  const listed = []
  for await (const entry of client.sandboxes.list({ appId: app.appId, tags: { js: 'a b' } })) listed.push(entry.sandboxId)
  assert.deepEqual(listed, [sandbox.sandboxId])
  await sandbox.terminate()
  assert.equal(await again.poll(), 137)
  await rejects(NotFoundError, () => client.sandboxes.fromName('checks', 'none'))
})

await main()
