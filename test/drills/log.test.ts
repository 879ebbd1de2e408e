import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { test } from 'node:test'

/** A device that is always full. */
const full = '/dev/full'

test('a log that cannot be written neither ends the process nor keeps it from ending', {
  skip: !existsSync(full),
}, () => {
  const script = `
    import { openSync } from 'node:fs'
    import { pino } from 'pino'
    import { openLogDestination } from ${JSON.stringify(import.meta.resolve('../../src/app/log-destination.ts'))}
    const log = pino(openLogDestination(openSync('${full}', 'w')))
    log.info('refused')
    setTimeout(() => log.info('refused again'), 100)
    setTimeout(() => {
      console.log('goes on')
      process.exit(3)
    }, 300)`
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    ...{ cwd: import.meta.dirname, encoding: 'utf8', timeout: 30_000, killSignal: 'SIGKILL' },
  })
  assert.deepEqual([stdout, status], ['goes on\n', 3], stderr)
})
