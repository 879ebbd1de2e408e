import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/reliability.md'), 'utf8')
const named = /`([\w/-]+\.test\.ts)`: ([^|]+?)(?=; `|\s*\|)/g

test('every test that the page on reliability names exists', () => {
  const found = [...page.matchAll(named)]
  assert.ok(found.length > 80, `only ${found.length} tests are named`)
  for (const [, file, title] of found) {
    const source = readFileSync(join(root, 'test', file!), 'utf8')
    assert.ok(source.includes(title!), `${file} has no test "${title}"`)
  }
})

test('every promise and every known attack names a test', () => {
  const numbers = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number))
  assert.deepEqual(
    numbers,
    Array.from({ length: 63 }, (_, at) => at + 1),
  )
  const promises = page.slice(page.indexOf('## Promises'), page.indexOf('## Long forms'))
  const tables = `${promises}${page.slice(page.indexOf('## Known attacks'))}`
  for (const row of tables
    .split('\n')
    .filter(line => /^\| (\d+|[A-Z`])/.test(line) && !/^\| Promise/.test(line)))
    assert.match(row, new RegExp(named.source), row)
})
