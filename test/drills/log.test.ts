import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
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

test('a log that cannot be written neither crashes the process nor prevents its exit', needsDevice, () => {
  const { stdout, stderr, status } = runWithFullLog(`
      log.info('refused')
      setTimeout(() => log.info('refused again'), 100)
      setTimeout(() => {
        console.log('goes on')
        process.exit(3)
      }, 300)`)
  assert.deepEqual([stdout, status], ['goes on\n', 3], stderr)
})

test('a log that cannot be written prevents no exit before its first error', needsDevice, () => {
  const { stderr, status } = runWithFullLog(`
      log.info('being written')
      log.info('waiting')
      destination.close()
      log.info('waiting, too')
      process.exit(3)`)
  assert.equal(status, 3, stderr)
})

test('a log that could not be written for long is written again', needsDevice, () => {
  const { stdout, stderr } = runWithFullLog(`
      import { closeSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
      import { tmpdir } from 'node:os'
      const folder = mkdtempSync(tmpdir() + '/log-')
      const descriptor = openSync('${full}', 'w')
      const refused = new LogDestination(descriptor)
      for (let at = 0; at < 10; at++) refused.write('x'.repeat(1 << 20))
      await new Promise(resolve => setTimeout(resolve, 300))
      closeSync(descriptor)
      if (openSync(folder + '/log', 'w') !== descriptor) throw new Error('another descriptor')
      while (!readFileSync(folder + '/log', 'utf8').endsWith('later')) {
        refused.write('later')
        await new Promise(resolve => setTimeout(resolve, 50))
      }
      rmSync(folder, { recursive: true })
      console.log('written')
      process.exit()`)
  assert.equal(stdout, 'written\n', stderr)
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

test('the log is complete when its slow reader continues only as the process ends', async () => {
  const child = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    `import { writeSync } from 'node:fs'
    import { LogDestination } from ${JSON.stringify(import.meta.resolve('../../src/app/log-destination.ts'))}
    // Makes the pipe one that refuses what its buffer has no room for.
    process.stdout._handle.setBlocking?.(false)
    const destination = new LogDestination(1)
    destination.write('很'.repeat(500_000) + '\\n')
    setTimeout(() => {
      destination.write('the end\\n')
      writeSync(2, 'ends')
      process.exit(3)
    }, 1000)`,
  ])
  const ended = once(child, 'exit')
  await once(child.stderr, 'data')
  const log = await text(child.stdout)
  assert.deepEqual(await ended, [3, null])
  assert.equal(log, `${'很'.repeat(500_000)}\nthe end\n`)
})
