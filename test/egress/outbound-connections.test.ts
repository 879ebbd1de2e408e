import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import test from 'node:test'

const source = join(import.meta.dirname, '../../src')

/** Where network modules may be used. */
const home = 'adapters/egress/'

const clients = [
  'undici',
  'axios',
  'got',
  'ky',
  'node-fetch',
  'needle',
  'superagent',
  'request',
  'ws',
  'openai',
]
const modules = ['http', 'https', 'http2', 'net', 'tls', 'dgram', 'dns', 'dns/promises', 'inspector']

/** Every `import` and `export … from`, with whether only types are imported. */
const importsOf = (text: string): { name: string; typesOnly: boolean; names: string }[] =>
  [
    ...text.matchAll(/(?:import|export)\s+(type\s)?([^'";]*?)\s*from\s*'([^']+)'/g),
    ...text.matchAll(/(?<![.\w])import\s*()()\(\s*'([^']+)'/g),
    ...text.matchAll(/^import\s*()()'([^']+)'/gm),
    ...text.matchAll(/(?:require|getBuiltinModule)\s*()()\(\s*'([^']+)'/g),
  ].map(([, type, names = '', name = '']) => ({ name, names, typesOnly: Boolean(type) }))

const isTypesOnly = ({ typesOnly, names }: { typesOnly: boolean; names: string }): boolean =>
  typesOnly ||
  (/^\{.*\}$/s.test(names) &&
    names
      .slice(1, -1)
      .split(',')
      .every(each => /^\s*(type\s.*)?$/s.test(each)))

/** Names that only look up, check or listen, and open no connection. */
const harmless: Record<string, ReadonlySet<string>> = {
  http: new Set(['STATUS_CODES', 'METHODS', 'createServer', 'validateHeaderName', 'validateHeaderValue']),
  net: new Set(['isIP', 'isIPv4', 'isIPv6', 'BlockList', 'createServer']),
}

/** Whether only harmless names are imported, each under its own name. */
const isHarmless = (module: string, names: string): boolean =>
  /^\{.*\}$/s.test(names) &&
  names
    .slice(1, -1)
    .split(',')
    .map(each => each.trim())
    .every(each => each === '' || each.startsWith('type ') || harmless[module]?.has(each))

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '')

/** Ways to load a module that a search for imports would miss. */
const hidden =
  /\bimport\s*\(\s*(?!['\s])|\bcreateRequire\b|\brequire\s*\(\s*[^'\s]|getBuiltinModule\s*\(\s*[^'\s]|process\s*\.\s*binding\b|import (?!\{ (?:\w*CompileCache\w*(?:, )?)+ \}).* from 'node:module'/

/** What in a file opens connections on its own. */
function waysOut(text: string): string[] {
  const found: string[] = []
  for (const each of importsOf(text)) {
    const name = each.name.replace(/^node:/, '')
    if (clients.some(client => name === client || name.startsWith(`${client}/`))) found.push(each.name)
    if (modules.includes(name) && !isTypesOnly(each) && !isHarmless(name, each.names)) found.push(each.name)
  }
  const code = withoutComments(text)
    // A method of that name is declared here, not called.
    .replace(/^\s*(async\s+)?fetch\s*\([^)]*\)\s*[:{]/gm, '')
  for (const [, word] of code.matchAll(
    /(?<![\w#'`-])(?:globalThis\.)?(?<!\.)\b(fetch|WebSocket|EventSource|XMLHttpRequest)\s*\(/g,
  ))
    found.push(`${word}(`)
  if (
    /globalThis\s*(\.\s*|\[\s*')(fetch|WebSocket|EventSource|XMLHttpRequest)\b(?!\s*>)/.test(
      code.replace(/typeof globalThis\.fetch/g, ''),
    )
  )
    found.push('globalThis.fetch')
  // Passed on instead of called: allowed if it was passed in, under a type that declares it.
  const handsOn = /(?:[=(,:?[&|{]|\breturn)\s*fetch\s*(?=[,;)\]}\n]|$)/
  if (handsOn.test(code) && !/\bfetch: typeof globalThis\.fetch\b/.test(code)) found.push('fetch as a value')
  if (/\{[^}=]*\b(fetch|WebSocket|EventSource)\b[^}]*\}\s*=\s*globalThis/.test(code)) found.push('globalThis')
  if (hidden.test(code)) found.push('an import that cannot be read from the text')
  return found
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .map(path => path.replaceAll('\\', '/'))
  .filter(path => path.endsWith('.ts'))
  .map(path => ({ path, text: readFileSync(join(source, path), 'utf8') }))

test('only the outbound client opens connections', () => {
  const broken = files
    .filter(({ path }) => !path.startsWith(home))
    .flatMap(({ path, text }) =>
      waysOut(text).map(
        way => `src/${path} uses ${way}: call the network through src/${home} only, which guards it`,
      ),
    )
  assert.deepEqual(broken, [])
})

/**
 * Dependencies, and where they may be used. Before one is added here, review whether it opens connections by itself: if
 * so, it must be given our client.
 */
const packages: Record<string, string> = {
  '@ai-sdk/openai-compatible': 'adapters/model/', // receives its fetch from us: see below
  '@ai-sdk/provider': 'adapters/model/', // types
  '@aws-sdk/client-s3': 'adapters/blob/', // opens connections, to the S3 store that the operator configured
  '@gutenye/ocr-node': 'adapters/ocr/', // optional; its models are files of the package
  '@hyzyla/pdfium': 'knowledge/', // WebAssembly, from its own file
  '@jitl/quickjs-wasmfile-release-sync': 'adapters/code/',
  '@pydantic/monty': 'adapters/code/', // an interpreter without connections
  '@kenjiuno/decompressrtf': 'knowledge/',
  '@kenjiuno/msgreader': 'knowledge/',
  '@modelcontextprotocol/sdk': '', // receives its fetch from us: see below; the server only answers
  '@silvia-odwyer/photon-node': 'knowledge/', // WebAssembly, from its own file
  ajv: '',
  croner: '', // a calendar
  'eventsource-parser': 'adapters/',
  fastify: '', // listens
  'file-type': '',
  htmlparser2: 'knowledge/',
  'opencc-js': '',
  pg: 'adapters/sql/', // opens connections, to the database that the operator configured
  pino: '',
  'postal-mime': 'knowledge/', // parses bytes
  'prom-client': 'app/', // connects only through its Pushgateway, which is not used
  'quickjs-emscripten-core': 'adapters/code/',
  stemmer: 'knowledge/',
  typebox: '', // types
  unpdf: 'knowledge/',
  usearch: 'adapters/',
  utif2: 'knowledge/',
  yaml: 'kernel/parse-yaml.ts',
  yauzl: 'knowledge/',
}

test('packages are used only where their connections have been reviewed', () => {
  const broken = files.flatMap(({ path, text }) =>
    importsOf(withoutComments(text)).flatMap(({ name }) => {
      if (/^\.{1,2}\/|^node:/.test(name)) return []
      const home = packages[/^(@[^/]+\/)?[^/]+/.exec(name)![0]]
      return home !== undefined && path.startsWith(home) ? [] : [`src/${path} imports ${name}`]
    }),
  )
  assert.deepEqual(broken, [])
})

test('of development packages only types are used', () => {
  const manifest = JSON.parse(readFileSync(join(source, '../package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  const broken = files.flatMap(({ path, text }) =>
    importsOf(withoutComments(text))
      .filter(each => each.name in manifest.devDependencies && !isTypesOnly(each))
      .map(({ name }) => `src/${path} imports ${name}`),
  )
  assert.deepEqual(broken, [])
})

/** Everything that a file imports, directly or indirectly. */
function reachedFrom(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  const text = files.find(each => each.path === path)?.text ?? ''
  for (const { name } of importsOf(text))
    if (name.startsWith('.')) reachedFrom(posix.join(posix.dirname(path), name), seen)
  return seen
}

test('the library for MCP gets its fetch from the outbound client', () => {
  const users = files.filter(({ text }) =>
    importsOf(text).some(each => each.name.includes('sdk/client/') && !isTypesOnly(each)),
  )
  assert.deepEqual(
    users.map(({ path }) => path),
    ['adapters/mcp/mcp-session.ts'],
  )
  const made = [...users[0]!.text.matchAll(/new (\w*Transport)\(([\s\S]*?)^ {6}\}\)/gm)]
  assert.equal(made.length, 1)
  assert.match(made[0]![2]!, /^\s*fetch: guarded,$/m)
})

test('the library for models gets its fetch from the outbound client', () => {
  const users = files.filter(({ text }) =>
    importsOf(text).some(({ name }) => name === '@ai-sdk/openai-compatible'),
  )
  assert.equal(users.length, 1, 'exactly one file uses the library')
  const [{ path, text }] = users as [(typeof users)[number]]
  const calls = [...text.matchAll(/createOpenAICompatible\(\{(.*?)^ {2}\}\)/gms)]
  assert.ok(calls.length > 0, `src/${path} uses it in a form that this test can parse`)
  for (const [, options] of calls)
    assert.match(options!, /^\s*fetch(:\s*\S+)?,$/m, `src/${path} passes a fetch`)
  assert.match(text, /\bfetch: typeof globalThis\.fetch\b/, 'the fetch is required, not optional')
  const openers = files.filter(each =>
    importsOf(each.text).some(({ name }) => posix.join(posix.dirname(each.path), name) === path),
  )
  assert.ok(openers.length > 0)
  for (const opener of openers)
    assert.ok(reachedFrom(opener.path).has(`${home}egress.ts`), `src/${opener.path} has it from the egress`)
})

test('the search finds every way to open a connection, and nothing else', () => {
  for (const text of [
    "import http from 'node:http'",
    "import * as http from 'http'",
    "import { request } from 'node:https'",
    "import { type IncomingMessage, get } from 'node:http'",
    "import { connect } from 'node:net'",
    "import { createServer, connect } from 'node:net'",
    "import 'node:tls'",
    "export { request } from 'node:http'",
    "const tls = await import('node:tls')",
    "const net = require('node:net')",
    "process.getBuiltinModule('node:http')",
    "import { createSocket } from 'node:dgram'",
    "import { Agent } from 'undici'",
    "import axios from 'axios'",
    'const answer = await fetch(url)',
    'await globalThis.fetch(url)',
    'const f = globalThis.fetch',
    'new WebSocket(url)',
    'new EventSource(url)',
    'new XMLHttpRequest()',
    'const send = fetch',
    'createProvider({ name, fetch })',
    'const { options = {}, send = fetch } = given',
    'given.fetch ?? fetch\n',
    'const { fetch: send } = globalThis',
    'await import(name)',
    'const load = createRequire(import.meta.url)',
    'process.getBuiltinModule(name)',
    "import { createServer as listen, request } from 'node:http'",
    "import { connect } from 'node:http2'",
    "import { Resolver } from 'node:dns'",
    "import { lookup } from 'node:dns/promises'",
  ])
    assert.notDeepEqual(waysOut(text), [], text)
  for (const text of [
    "import type { IncomingMessage } from 'node:http'",
    "import { type IncomingMessage, type ServerResponse } from 'node:http'",
    "import { isIP } from 'node:net'",
    "import { type Server, validateHeaderValue } from 'node:http'",
    'interface Parts {\n  fetch: typeof globalThis.fetch\n}\nopen({ fetch })',
    "const page = await import('./page.ts')",
    "import pg from 'pg'",
    'store.fetch(id)',
    'interface Store {\n  fetch(id: string): Promise<string>\n}',
    'class Store {\n  async fetch(id: string) {\n  }\n}',
    '// a browser would fetch (it) here',
    'const page = `<script>0</script>`',
    'prefetch(next)',
  ])
    assert.deepEqual(waysOut(text), [], text)
})
