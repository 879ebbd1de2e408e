import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
/** Tables are found by the tests that compare them with the migrations. */
const exported =
  /^export (?:async )?(?:abstract )?(?:const|let|function\*?|class|interface|type) ([\w$]+)(?! = table\()\b/gm
/** Names from a module, or all of it: a namespace, or a dynamic import whose names do not follow at once. */
const imported =
  /(?:import|export) (?:type )?\{([^}]*)\} from '(\.[^']+)'|\{([^{}]*)\} = await import\('(\.[^']+)'\)|(?:\* as \w+ from |import\()'(\.[^']+)'/g

const nameOf = (specifier: string): string =>
  specifier
    .trim()
    .replace(/^type /, '')
    .split(/ as |:/)[0]!
    .trim()

test('every export is imported by another file', () => {
  const used = new Map<string, Set<string>>()
  const whole = new Set<string>()
  const declared = new Map<string, string[]>()
  const sources = ['src', 'console/src', 'test', 'bench', 'scripts', 'clients'].flatMap(folder =>
    globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root, exclude: ['**/node_modules', '**/dist'] }),
  )
  for (const path of sources) {
    const text = readFileSync(join(root, path), 'utf8')
    if (/^(console\/)?src\//.test(path))
      declared.set(
        path,
        [...text.matchAll(exported)].map(([, name]) => name!),
      )
    for (const [, names, from, awaited, awaitedFrom, namespace] of text.matchAll(imported)) {
      const target = join(dirname(path), (from ?? awaitedFrom ?? namespace)!)
      if (namespace !== undefined) whole.add(target)
      const before = used.get(target) ?? new Set()
      for (const name of (names ?? awaited ?? '').split(',')) before.add(nameOf(name))
      used.set(target, before)
    }
  }
  const unused = [...declared].flatMap(([path, names]) =>
    whole.has(path) ? [] : names.filter(name => !used.get(path)?.has(name)).map(name => `${path}: ${name}`),
  )
  assert.deepEqual(unused, [])
})
