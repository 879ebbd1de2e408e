import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import test from 'node:test'

const source = join(import.meta.dirname, '../../console/src')
const contract = '../../src/contract/'

/** The rooms of the console that each room may import. A room may always import itself. */
const arrows: Record<string, { to: string[]; because: string }> = {
  api: { to: [], because: 'it speaks to the server and knows no page' },
  ui: { to: ['api'], because: 'parts that every page uses know none of them' },
  session: { to: ['api', 'ui'], because: 'who is signed in decides what is shown, not the other way round' },
  'editor/model': { to: [], because: 'the model of the editor works without a screen, a server or React' },
  editor: { to: ['editor/model', 'api', 'session', 'ui'], because: 'the editor is a part that a page shows' },
  pages: { to: ['*'], because: 'pages put the parts together' },
  'chat-page': {
    to: ['api', 'ui', 'pages'],
    because: 'the page for visitors is a program of its own, which shares the chat with the console',
  },
  embed: { to: [], because: 'it is a single small script on pages of other websites' },
  '.': { to: ['*'], because: 'these files put the pages together' },
}

const roomOf = (path: string): string => {
  if (path.startsWith('editor/model/')) return 'editor/model'
  return path.includes('/') ? path.split('/')[0]! : '.'
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter(path => /\.tsx?$/.test(path))
  .map(path => {
    const text = readFileSync(join(source, path), 'utf8')
    const imports = [
      ...text.matchAll(/(?:import|export)\s+(type\s+)?(?:[^'"]*?\sfrom\s+)?'([^']+)'|import\('([^']+)'\)/g),
    ].map(([, onlyType, name, lazy]) => ({ name: (name ?? lazy)!, isType: onlyType !== undefined }))
    return { path, text, imports }
  })

const target = (path: string, name: string): string => relative(source, join(source, dirname(path), name))

test('imports between the modules of the console follow the allowed directions', () => {
  const broken: string[] = []
  for (const { path, imports } of files)
    for (const { name, isType } of imports.filter(each => each.name.startsWith('.'))) {
      const to = target(path, name)
      if (to.startsWith(contract)) {
        if (!isType) broken.push(`${path} imports ${to}: only types of the contract go into the browser`)
        continue
      }
      // The examples are the templates of the console.
      if (to.startsWith('../../examples/')) continue
      if (to.startsWith('..')) {
        broken.push(`${path} imports ${to}: the console knows the contract and nothing else of the server`)
        continue
      }
      const from = roomOf(path)
      const rule = arrows[from]
      assert.ok(rule, `console/src/${from} is a new room: list here which rooms it may import`)
      if (roomOf(to) !== from && !rule.to.includes('*') && !rule.to.includes(roomOf(to)))
        broken.push(`${path} imports ${to}, but ${rule.because}`)
    }
  assert.deepEqual(broken, [])
})

test('pages do not import each other', () => {
  const broken = files.flatMap(({ path, imports }) => {
    const area = /^pages\/([^/]+)\//.exec(path)?.[1]
    return imports
      .filter(each => area !== undefined && each.name.startsWith('.'))
      .map(each => target(path, each.name))
      .filter(to => to.startsWith('pages/') && to.split('/').length > 2 && !to.startsWith(`pages/${area}/`))
      .map(to => `${path} imports ${to}`)
  })
  assert.deepEqual(broken, [])
})

test('there are no circular imports in the console', () => {
  const links = new Map(
    files.map(({ path, imports }) => [
      path,
      imports.filter(each => each.name.startsWith('.')).map(each => target(path, each.name)),
    ]),
  )
  const done = new Set<string>()
  const walk = (path: string, trail: string[]): void => {
    assert.ok(
      !trail.includes(path),
      `circular import: ${[...trail.slice(trail.indexOf(path)), path].join(' → ')}`,
    )
    if (done.has(path)) return
    for (const next of links.get(path) ?? []) walk(next, [...trail, path])
    done.add(path)
  }
  for (const path of links.keys()) walk(path, [])
})

test('data of the server never becomes markup or code', () => {
  for (const { path, text } of files) {
    assert.doesNotMatch(
      text,
      /dangerouslySetInnerHTML|\.innerHTML\s*=|insertAdjacentHTML|document\.write/,
      path,
    )
    assert.doesNotMatch(text, /\beval\(|new Function\(/, path)
  }
})
