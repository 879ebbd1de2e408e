import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { test } from 'node:test'

/** A device that is always full. */
const full = '/dev/full'

/** Runs a program whose `log` is written to a device that is always full. */
const runWithFullLog = (program: string) =>
  spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { openSync } from 'node:fs'
      import { pino } from 'pino'
      import { LogDestination } from ${JSON.stringify(import.meta.resolve('../../src/app/log-destination.ts'))}
      const destination = new LogDestination(openSync('${full}', 'w'))
      const log = pino({}, destination)
      ${program}`,
    ],
    { cwd: import.meta.dirname, encoding: 'utf8', timeout: 30_000, killSignal: 'SIGKILL' },
  )

const needsDevice = { skip: !existsSync(full) }

test('a log that cannot be written neither ends the process nor keeps it from ending', needsDevice, () => {
  const { stdout, stderr, status } = runWithFullLog(`
      log.info('refused')
      setTimeout(() => log.info('refused again'), 100)
      setTimeout(() => {
        console.log('goes on')
        process.exit(3)
      }, 300)`)
  assert.deepEqual([stdout, status], ['goes on\n', 3], stderr)
})

test('a log that cannot be written keeps no process from ending before its first error', needsDevice, () => {
  const { stderr, status } = runWithFullLog(`
      log.info('being written')
      log.info('waiting')
      destination.close()
      log.info('waiting, too')
      process.exit(3)`)
  assert.equal(status, 3, stderr)
})

test('the log is complete when the process ends', () => {
  const { stdout } = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { LogDestination } from ${JSON.stringify(import.meta.resolve('../../src/app/log-destination.ts'))}
      const destination = new LogDestination(1)
      for (let at = 0; at < 20_000; at++) destination.write(\`line \${at}\\n\`)
      process.exit(3)`,
    ],
    { encoding: 'utf8' },
  )
  assert.deepEqual(
    stdout
      .trim()
      .split('\n')
      .map(line => line.slice(5)),
    Array.from({ length: 20_000 }, (_, at) => String(at)),
  )
})
