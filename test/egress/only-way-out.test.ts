import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'

const source = join(import.meta.dirname, '../../src')

/** Where the ways to the network may be used. */
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

/** Every `import` and `export … from`, with whether only types come in. */
const importsOf = (text: string): { name: string; typesOnly: boolean; names: string }[] =>
  [
    ...text.matchAll(/(?:import|export)\s+(type\s)?([^'";]*?)\s*from\s*'([^']+)'/g),
    ...text.matchAll(/import\s*()()\(?\s*'([^']+)'/g),
    ...text.matchAll(/(?:require|getBuiltinModule)\s*()()\(\s*'([^']+)'/g),
  ].map(([, type, names = '', name = '']) => ({ name, names, typesOnly: Boolean(type) }))

const isTypesOnly = ({ typesOnly, names }: { typesOnly: boolean; names: string }): boolean =>
  typesOnly ||
  (/^\{.*\}$/s.test(names) &&
    names
      .slice(1, -1)
      .split(',')
      .every(each => /^\s*(type\s.*)?$/s.test(each)))

/** What only looks up or judges, and sends nothing. */
const harmless: Record<string, RegExp> = {
  http: /^\{\s*(STATUS_CODES|METHODS|createServer)\s*\}$/,
  net: /^\{\s*(isIP|isIPv4|isIPv6|BlockList|createServer)(,\s*(isIP|isIPv4|isIPv6|BlockList|createServer))*\s*\}$/,
}

/** What in a file goes out to the network by a way of its own. */
function waysOut(text: string): string[] {
  const found: string[] = []
  for (const each of importsOf(text)) {
    const name = each.name.replace(/^node:/, '')
    if (clients.some(client => name === client || name.startsWith(`${client}/`))) found.push(each.name)
    if (
      modules.includes(name) &&
      !isTypesOnly(each) &&
      !harmless[name]?.test(each.names.replace(/,\s*\}$/, ' }'))
    )
      found.push(each.name)
  }
  const code = text
    .replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '')
    // A method of that name is declared here, not called.
    .replace(/^\s*(async\s+)?fetch\s*\([^)]*\)\s*[:{]/gm, '')
  for (const [, word] of code.matchAll(
    /(?<![\w#'`-])(?:globalThis\.)?(?<!\.)\b(fetch|WebSocket|EventSource)\s*\(/g,
  ))
    found.push(`${word}(`)
  if (
    /globalThis\s*(\.\s*|\[\s*')(fetch|WebSocket|EventSource)\b(?!\s*>)/.test(
      code.replace(/typeof globalThis\.fetch/g, ''),
    )
  )
    found.push('globalThis.fetch')
  return found
}

test('nothing but the egress goes out to the network', () => {
  const broken = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .map(path => path.replaceAll('\\', '/'))
    .filter(path => path.endsWith('.ts') && !path.startsWith(home))
    .flatMap(path =>
      waysOut(readFileSync(join(source, path), 'utf8')).map(
        way => `src/${path} uses ${way}: call the network through src/${home} only, which guards it`,
      ),
    )
  assert.deepEqual(broken, [])
})

test('the search finds every way out, and nothing else', () => {
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
  ])
    assert.notDeepEqual(waysOut(text), [], text)
  for (const text of [
    "import type { IncomingMessage } from 'node:http'",
    "import { type IncomingMessage, type ServerResponse } from 'node:http'",
    "import { isIP } from 'node:net'",
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
