// Helpers for a script of checks: named functions with assertions, each run separately.

const checks = []

/** Registers a check. */
export function check(name, run) {
  checks.push({ name, run })
}

/** Returns the error with which `call` must reject. */
export async function rejects(kind, call) {
  try {
    await call()
  } catch (error) {
    if (kind && !(error instanceof kind)) throw error
    return error
  }
  throw new Error(`${kind?.name ?? 'nothing'} was not thrown`)
}

/** Waits until `condition` holds. */
export async function eventually(condition, seconds = 10) {
  const deadline = Date.now() + seconds * 1000
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('it never came true')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Runs all checks; the exit status says whether all passed. */
export async function main() {
  let passed = 0
  let failed = 0
  for (const { name, run } of checks) {
    const began = Date.now()
    try {
      await run()
      passed += 1
    } catch (error) {
      failed += 1
      console.error(`  FAILED ${name}\n`, error)
    }
    console.log(`  ${name}: ${((Date.now() - began) / 1000).toFixed(1)} s`)
  }
  console.log(`checks: ${passed} passed, ${failed} failed`)
  process.exit(failed ? 1 : 0)
}
