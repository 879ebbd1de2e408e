import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { referenceFiles } from '../../scripts/write-reference.ts'
import { limits } from '../../src/contract/limits.ts'

const root = join(import.meta.dirname, '../..')

const stored = (path: string): string => {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch {
    return ''
  }
}

describe('generated reference', () => {
  for (const [path, text] of Object.entries(referenceFiles()))
    it(`${path} matches the program`, () => {
      assert.ok(stored(path) === text, `${path} is stale: run npm run docs`)
    })

  it('is deterministic', () => {
    assert.deepEqual(referenceFiles(), referenceFiles())
  })

  it('lists every limit', () => {
    const written = referenceFiles()['docs/reference/limits.md']!
    for (const name of Object.keys(limits))
      assert.match(written, new RegExp(`\\| \`${name}\` \\| .+ \\| .+ \\|`))
  })
})
