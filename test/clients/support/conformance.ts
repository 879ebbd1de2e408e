import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const suite = join(import.meta.dirname, '../node_modules/@modelcontextprotocol/conformance/dist/index.js')

/** Runs one scenario of the official suite, which must pass. */
export async function runConformance(
  side: 'client' | 'server',
  scenario: string,
  options: string[],
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'))
  try {
    const args = [suite, side, ...options, '--scenario', scenario, '--output-dir', folder]
    const child = spawn(process.execPath, args, { cwd: folder })
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', text => {
        printed += text
      })
    const [code] = await once(child, 'close')
    assert.equal(code, 0, printed)
  } finally {
    await rm(folder, { recursive: true })
  }
}
