// The official JavaScript SDK of Vercel Sandbox. It has a single address; its option `fetch` sends requests to
// another.
import assert from 'node:assert/strict'
import { Sandbox } from '@vercel/sandbox'
import { check, main, rejects } from './checks.mjs'

const options = {
  token: process.env.VERCEL_TOKEN,
  teamId: process.env.VERCEL_TEAM_ID,
  projectId: process.env.VERCEL_PROJECT_ID,
  fetch: (url, request) =>
    fetch(String(url).replace('https://vercel.com/api', process.env.VERCEL_SANDBOX_URL), request),
}

check('commands', async () => {
  const sandbox = await Sandbox.create({ ...options, env: { A: '1' } })
  const done = await sandbox.runCommand({
    cmd: 'bash',
    args: ['-c', 'echo out; echo err >&2; echo $A $B; pwd; exit 3'],
    cwd: '/tmp',
    env: { B: '2' },
  })
  assert.deepEqual([await done.stdout(), await done.stderr(), done.exitCode], ['out\n1 2\n/tmp\n', 'err\n', 3])
  const sleeper = await sandbox.runCommand({ cmd: 'sleep', args: ['30'], detached: true })
  await sleeper.kill()
  assert.equal((await sleeper.wait()).exitCode, 143)
  const talker = await sandbox.runCommand({ cmd: 'echo', args: ['later'], detached: true })
  const seen = []
  for await (const log of talker.logs()) seen.push(log.data)
  assert.equal(seen.join(''), 'later\n')
  await sandbox.delete()
})

check('files', async () => {
  const sandbox = await Sandbox.create(options)
  const content = Buffer.from(new Uint8Array(1000).map((_, index) => index % 256))
  await sandbox.writeFiles([
    { path: 'deep/a.bin', content },
    { path: 'run.sh', content: '#!/bin/sh\necho ran\n', mode: 0o755 },
  ])
  assert.deepEqual(await sandbox.readFileToBuffer({ path: 'deep/a.bin' }), content)
  assert.equal(await (await sandbox.runCommand('./run.sh')).stdout(), 'ran\n')
  await sandbox.mkDir('made')
  assert.equal(await sandbox.readFileToBuffer({ path: '/nope' }), null)
  await sandbox.delete()
})

check('lifecycle', async () => {
  const sandbox = await Sandbox.create({ ...options, name: 'js-kept', tags: { k: 'v' } })
  await sandbox.writeFiles([{ path: 'kept', content: 'kept' }])
  const again = await Sandbox.get({ ...options, name: 'js-kept' })
  assert.deepEqual(again.tags, { k: 'v' })
  const snapshot = await sandbox.snapshot()
  const copy = await Sandbox.create({ ...options, source: { type: 'snapshot', snapshotId: snapshot.snapshotId } })
  assert.equal(String(await copy.readFileToBuffer({ path: 'kept' })), 'kept')
  await copy.delete()
  // The sandbox resumes when it is used.
  assert.equal(String(await sandbox.readFileToBuffer({ path: 'kept' })), 'kept')
  await sandbox.stop()
  const listed = await Sandbox.list(options)
  assert(listed.sandboxes.some((other) => other.name === 'js-kept' && other.status === 'stopped'))
  await sandbox.delete()
  await rejects(null, () => Sandbox.get({ ...options, name: 'js-kept' }))
})

await main()
