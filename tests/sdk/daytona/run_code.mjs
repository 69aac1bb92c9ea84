// Running code with Daytona's official JavaScript SDK.
import assert from 'node:assert/strict'
import { Daytona } from '@daytona/sdk'
import { check, main, rejects } from './checks.mjs'

const daytona = new Daytona()

check('the quickstart, in Python', async () => {
  const sandbox = await daytona.create({ language: 'python' })
  const response = await sandbox.process.codeRun('print("Sum of 3 and 4 is " + str(3 + 4))')
  assert.deepEqual([response.exitCode, response.result], [0, 'Sum of 3 and 4 is 7\n'])
  await sandbox.delete()
})

check('TypeScript needs node', async () => {
  const sandbox = await daytona.create({ language: 'typescript' })
  const error = await rejects(Error, () => sandbox.process.codeRun('console.log(1)'))
  assert.match(error.message, /typescript needs the command node/)
  await sandbox.delete()
})

check('the interpreter', async () => {
  const sandbox = await daytona.create()
  await sandbox.codeInterpreter.runCode('x = 1')
  const result = await sandbox.codeInterpreter.runCode('print(x + 1)')
  assert.equal(result.stdout, '2\n')
  await sandbox.delete()
})

check('logs that are followed', async () => {
  const sandbox = await daytona.create()
  await sandbox.process.createSession('s')
  const command = 'echo one; sleep 0.3; echo e >&2; echo two'
  const { cmdId } = await sandbox.process.executeSessionCommand('s', { command, runAsync: true })
  const seen = { out: '', err: '' }
  await sandbox.process.getSessionCommandLogs(
    's',
    cmdId,
    (text) => (seen.out += text),
    (text) => (seen.err += text),
  )
  assert.deepEqual(seen, { out: 'one\ntwo\n', err: 'e\n' })
  await sandbox.delete()
})

await main()
