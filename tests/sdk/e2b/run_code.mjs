// E2B's code interpreter, with its official JavaScript SDK.
import assert from 'node:assert/strict'
import { Sandbox } from '@e2b/code-interpreter'
import { check, main, rejects } from './checks.mjs'

check('the quickstart', async () => {
  const sbx = await Sandbox.create()
  const execution = await sbx.runCode('print("hello world")')
  assert.deepEqual(execution.logs.stdout, ['hello world\n'])
  const files = await sbx.files.list('/')
  assert.ok(files.some((file) => file.name === 'home'))
  await sbx.kill()
})

check('state, errors and contexts', async () => {
  const sandbox = await Sandbox.create()
  await sandbox.runCode('x = 1')
  const seen = []
  const execution = await sandbox.runCode('print(x)\nx += 1; x', { onStdout: (message) => seen.push(message.line) })
  assert.deepEqual([execution.text, seen], ['2', ['1\n']])
  assert.equal((await sandbox.runCode('1 / 0')).error.name, 'ZeroDivisionError')
  const context = await sandbox.createCodeContext({ cwd: '/tmp' })
  assert.equal((await sandbox.runCode('import os; os.getcwd()', { context })).text, '/tmp')
  await rejects(Error, () => sandbox.runCode('1', { language: 'r' }))
  await rejects(Error, () => sandbox.runCode('while True: pass', { timeoutMs: 1000 }))
  assert.equal((await sandbox.runCode('x')).text, '2')
  await sandbox.kill()
})

await main()
