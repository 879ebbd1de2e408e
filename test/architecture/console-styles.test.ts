import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'

const source = join(import.meta.dirname, '../../console/src')

/**
 * The files whose parts a stylesheet may restyle. Beside these, every stylesheet may restyle parts of `ui` within a
 * class of its own (`.recent-runs .badge`).
 */
const restyles: Record<string, string[]> = {
  'chat-page/chat-page.css': ['pages/agents/chat/chat.css'],
  'pages/agents/agents.css': ['pages/agents/chat/chat.css'],
  'pages/workflows/editor.css': ['editor/canvas/canvas.css', 'editor/canvas/palette.css'],
}

/** The classes of each selector, without those of libraries and states of another class (`.run-tag.is-failed`). */
function selectorsOf(file: string): string[][] {
  const text = readFileSync(join(source, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
  return [...text.matchAll(/([^{};]+)\{/g)]
    .map(([, head]) => head!.trim())
    .filter(head => !head.startsWith('@'))
    .flatMap(head => head.split(/,(?![^(]*\))/))
    .map(selector =>
      [...selector.replace(/(?<=[\w\])-])\.is-[\w-]+/g, '').matchAll(/\.([a-zA-Z_][\w-]*)/g)]
        .map(([, name]) => name!)
        .filter(name => !/^(ant-|anticon|x6-)/.test(name)),
    )
}

/**
 * A stylesheet stays loaded after its page is left, so a class that two files define gets both definitions, in the order
 * in which the pages were visited.
 */
test('each class of the console is defined in one stylesheet', () => {
  const users = new Map<string, Set<string>>()
  const unscoped = new Set<string>()
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(path =>
    path.endsWith('.css'),
  ))
    for (const classes of selectorsOf(file))
      for (const [at, name] of classes.entries()) {
        users.set(name, (users.get(name) ?? new Set()).add(file))
        if (at === 0) unscoped.add(`${file} ${name}`)
      }
  const isAllowed = (name: string, file: string, owner: string): boolean =>
    file === owner ||
    restyles[file]?.includes(owner) ||
    (owner.startsWith('ui/') && !unscoped.has(`${file} ${name}`))
  const shared = [...users].filter(
    ([name, files]) => ![...files].some(owner => [...files].every(file => isAllowed(name, file, owner))),
  )
  assert.deepEqual(
    shared.map(([name, files]) => `.${name} is in ${[...files].join(' and ')}: rename one of them`),
    [],
  )
})
