// The official JavaScript SDK of Daytona.
import assert from 'node:assert/strict'
import { Daytona } from '@daytona/sdk'
import { check, main, rejects } from './checks.mjs'

const daytona = new Daytona()

check('commands', async () => {
  const sandbox = await daytona.create({ envVars: { A: '1' } })
  const done = await sandbox.process.executeCommand('echo out; echo $A$B; pwd', '/tmp', { B: '2' })
  assert.deepEqual([done.exitCode, done.result], [0, 'out\n12\n/tmp\n'])
  assert.equal((await sandbox.process.executeCommand('exit 3')).exitCode, 3)
  await rejects(Error, () => sandbox.process.executeCommand('sleep 30', undefined, undefined, 1))
  await daytona.delete(sandbox)
})

check('sessions', async () => {
  const sandbox = await daytona.create()
  await sandbox.process.createSession('s')
  const run = (command) => sandbox.process.executeSessionCommand('s', { command })
  assert.equal((await run('cd /tmp; echo out')).stdout, 'out\n')
  assert.equal((await run('pwd')).output, '/tmp\n')
  await sandbox.process.deleteSession('s')
  await daytona.delete(sandbox)
})

check('files', async () => {
  const sandbox = await daytona.create()
  const content = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256))
  await sandbox.fs.uploadFile(content, '/home/daytona/a.bin')
  assert.deepEqual(Buffer.from(await sandbox.fs.downloadFile('/home/daytona/a.bin')), content)
  assert.deepEqual((await sandbox.fs.listFiles('/home/daytona')).map((entry) => entry.name), ['a.bin'])
  await rejects(Error, () => sandbox.fs.downloadFile('/nope'))
  await daytona.delete(sandbox)
})

check('lifecycle', async () => {
  const sandbox = await daytona.create({ labels: { js: 'yes' } })
  assert.equal((await daytona.get(sandbox.id)).id, sandbox.id)
  await sandbox.stop()
  await sandbox.start()
  await daytona.delete(sandbox)
  await rejects(Error, () => daytona.get(sandbox.id))
})

await main()
