import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import test from 'node:test'

const source = join(import.meta.dirname, '../../src')

/** The rooms that each room may import. A room may always import itself. Anything else is forbidden. */
const arrows: Record<string, { to: string[]; because: string }> = {
  contract: { to: [], because: 'the wire is shared with the console and knows nothing of the server' },
  kernel: { to: ['contract'], because: 'the basics stand below every feature' },
  database: {
    to: ['kernel', 'contract'],
    because: 'it describes tables and queries; drivers are adapters, and rows belong to features',
  },
  cluster: {
    to: ['database', 'kernel', 'contract'],
    because: 'features build on it; it knows none of them',
  },
  access: {
    to: ['database', 'kernel', 'contract'],
    because: 'a feature decides; effects come in through its ports',
  },
  audit: {
    to: ['database', 'kernel', 'contract'],
    because: 'it describes a change by its operation and knows no feature',
  },
  tracing: { to: ['kernel', 'contract'], because: 'it records what others do and knows no feature' },
  idempotency: {
    to: ['database', 'kernel', 'contract'],
    because: 'a feature decides; effects come in through its ports',
  },
  workflow: {
    to: ['cluster', 'database', 'kernel', 'contract'],
    because: 'the engine names no kind, so that a kind is one file and one line',
  },
  files: {
    to: ['database', 'kernel', 'contract'],
    because: 'a feature decides; effects come in through its ports',
  },
  models: {
    to: ['database', 'kernel', 'contract'],
    because: 'these are ports: what a model can do, not who provides it',
  },
  secrets: {
    to: ['database', 'kernel', 'contract'],
    because: 'a feature decides; effects come in through its ports',
  },
  'shared-tools': {
    to: ['database', 'workflow', 'tools', 'kernel', 'contract'],
    because: 'a feature decides; effects come in through its ports',
  },
  tools: {
    to: ['kernel', 'contract'],
    because: 'these are ports: what a node can use, not who provides it',
  },
  agents: {
    to: ['database', 'workflow', 'kernel', 'contract'],
    because: 'an agent becomes a graph; it does not know what a node does',
  },
  conversations: {
    to: ['cluster', 'database', 'agents', 'workflow', 'files', 'models', 'kernel', 'contract'],
    because: 'a turn is a run of an agent; effects come in through ports',
  },
  triggers: {
    to: ['access', 'cluster', 'database', 'workflow', 'kernel', 'contract'],
    because: 'a trigger starts a run; effects come in through ports',
  },
  evaluation: {
    to: ['cluster', 'database', 'workflow', 'tools', 'kernel', 'contract'],
    because: 'a test is a run whose answer is checked; effects come in through ports',
  },
  import: {
    to: ['agents', 'workflow', 'kernel', 'contract'],
    because: 'it turns files into what a person could make, with the same services',
  },
  demo: {
    to: ['agents', 'knowledge', 'workflow', 'kernel', 'contract'],
    because: 'it makes what a person could make, with the same services',
  },
  knowledge: {
    to: ['cluster', 'database', 'files', 'models', 'kernel', 'contract'],
    because: 'a feature decides; effects come in through its ports',
  },
  fsck: {
    to: ['database', 'kernel', 'contract', 'files', 'knowledge'],
    because: 'it compares what features have stored, whatever the database',
  },
  backup: {
    to: ['database', 'kernel', 'contract', 'files'],
    because: 'it reads through ports, whatever the database',
  },
  nodes: {
    to: ['workflow', 'knowledge', 'models', 'tools', 'kernel', 'contract'],
    because: 'a kind implements the port of the workflow room',
  },
  adapters: {
    to: [
      'cluster',
      'database',
      'access',
      'idempotency',
      'workflow',
      'agents',
      'conversations',
      'files',
      'knowledge',
      'models',
      'tools',
      'backup',
      'kernel',
      'contract',
    ],
    because: 'adapters implement the ports of the features',
  },
  http: {
    to: [
      'access',
      'audit',
      'idempotency',
      'import',
      'workflow',
      'agents',
      'conversations',
      'files',
      'knowledge',
      'models',
      'tools',
      'secrets',
      'shared-tools',
      'triggers',
      'evaluation',
      'tracing',
      'kernel',
      'contract',
    ],
    because: 'HTTP speaks to features and never to a driver',
  },
  config: {
    to: ['files', 'contract', 'kernel'],
    because: 'settings are read before anything is put together',
  },
  app: { to: ['*'], because: 'it puts the parts together' },
  cli: { to: ['*'], because: 'it is put together like the server' },
  '.': { to: ['*'], because: 'the entry point' },
}

/** Packages that reach the outside world, and the only rooms that may import them. */
const drivers: Record<string, string[]> = {
  'node:sqlite': ['adapters'],
  pg: ['adapters'],
  '@aws-sdk/client-s3': ['adapters'],
  fastify: ['http', 'app'],
  usearch: ['adapters'],
  'node:worker_threads': ['adapters'],
  '@ai-sdk/openai-compatible': ['adapters'],
  'quickjs-emscripten-core': ['adapters'],
  unpdf: ['knowledge'],
  htmlparser2: ['knowledge'],
}

interface File {
  path: string
  room: string
  imports: string[]
}

function files(): File[] {
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.ts'))
    .map(path => {
      const text = readFileSync(join(source, path), 'utf8')
      const imports = [...text.matchAll(/(?:from|import\() ?'([^']+)'/g)].map(match => match[1]!)
      return { path, room: path.includes('/') ? path.split('/')[0]! : '.', imports }
    })
}

const all = files()
const target = (file: File, name: string): string => relative(source, join(source, dirname(file.path), name))

test('imports between modules follow the allowed directions', () => {
  const broken: string[] = []
  for (const file of all) {
    const rule = arrows[file.room]
    assert.ok(rule, `src/${file.room} is a new room: list in this test which rooms it may import`)
    for (const name of file.imports.filter(each => each.startsWith('.'))) {
      const path = target(file, name)
      const room = path.includes('/') ? path.split('/')[0]! : '.'
      if (room !== file.room && !rule.to.includes('*') && !rule.to.includes(room))
        broken.push(`src/${file.path} imports src/${path}, but ${rule.because}`)
    }
  }
  assert.deepEqual(broken, [])
})

test('drivers are imported only by their modules', () => {
  const broken: string[] = []
  for (const file of all)
    for (const name of file.imports)
      if (drivers[name] && !drivers[name].includes(file.room) && file.room !== 'cli')
        broken.push(`src/${file.path} imports ${name}, which belongs to ${drivers[name].join(', ')}`)
  assert.deepEqual(broken, [])
})

test('there are no circular imports', () => {
  const links = new Map(
    all.map(file => [
      file.path,
      file.imports.filter(name => name.startsWith('.')).map(name => target(file, name)),
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

test('the contract runs in a browser too', () => {
  for (const file of all.filter(each => each.room === 'contract'))
    assert.deepEqual(
      file.imports.filter(name => name.startsWith('node:')),
      [],
      `src/${file.path} uses Node`,
    )
})

test('only src/config reads the environment, and nothing evaluates text', () => {
  for (const file of all) {
    const text = readFileSync(join(source, file.path), 'utf8')
    // main.ts sets a variable of Node itself, before anything else is loaded.
    if (!['config/config.ts', 'main.ts'].includes(file.path))
      assert.doesNotMatch(text, /process\.env/, `src/${file.path} reads the environment`)
    assert.doesNotMatch(text, /\beval\(|new Function\(|node:vm/, `src/${file.path} evaluates`)
    // dangerous-code.test.ts checks what it starts.
    if (!['adapters/code/worker-process.ts', 'adapters/workers/run-converter.ts'].includes(file.path))
      assert.doesNotMatch(text, /node:child_process/, `src/${file.path} spawns`)
  }
})
