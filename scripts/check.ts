/**
 * Checks types (server and console), format and lint: `npm run check`. The commands run side by side. Each type check has
 * one thread, because threads of the compiler repeat each other's work: on two cores that takes a third more CPU time.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'

const root = join(import.meta.dirname, '..')

const commands = [
  'tsc --noEmit --singleThreaded',
  'tsc --noEmit --singleThreaded -p console',
  'biome check .',
]

async function run(command: string): Promise<boolean> {
  const path = [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
  const child = spawn(command, { cwd: root, shell: true, env: { ...process.env, PATH: path } })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const [code] = await once(child, 'close')
  process.stdout.write(output)
  if (code !== 0) console.log(`${command}: exit code ${code}`)
  return code === 0
}

const results = await Promise.all(commands.map(run))
process.exit(results.every(Boolean) ? 0 : 1)
