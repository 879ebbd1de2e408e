import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import test from 'node:test'

const root = join(import.meta.dirname, '../..')

const filesBelow = (folder: string, pattern: RegExp): string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && pattern.test(entry.name))
    .map(entry => relative(root, join(entry.parentPath, entry.name)))

const sources = filesBelow('src', /\.ts$/)
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const withoutComments = (file: string): string => read(file).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
const filesWith = (pattern: RegExp, files = sources): string[] =>
  files.filter(file => pattern.test(withoutComments(file)))

test('no source evaluates text, starts a command or uses the vm module', () => {
  assert.deepEqual(filesWith(/\beval\(|\bnew Function\b|[^.\w]Function\(/), [])
  assert.deepEqual(filesWith(/['"](node:)?(vm|cluster|repl|inspector)['"]/), [])
  // A process for Python, which runs a file of the server, and LibreOffice, for files under names of the server.
  const starters = ['src/adapters/code/worker-process.ts', 'src/adapters/workers/run-converter.ts']
  assert.deepEqual(filesWith(/['"](node:)?child_process['"]/), starters)
  assert.deepEqual(filesWith(/\b(exec|execFile|spawn)(Sync)?\(/, starters.slice(0, 1)), [])
  // The arguments are a list, and the shell's script is constant.
  assert.deepEqual(
    filesWith(/\b(exec|execFile)(Sync)?\(|\bspawn\((?!'\/bin\/sh', \['-c', script,)/, starters),
    [],
  )
  assert.deepEqual(filesWith(/\bnew WorkerProcess\((?!new URL\('\.\/[\w-]+\.ts', import\.meta\.url\))/), [])
  assert.deepEqual(filesWith(/\bprocess\.binding|\bcreateRequire\b|\brequire\(/), [])
})

test('modules are loaded from fixed paths only', () => {
  const dynamic = sources.flatMap(file =>
    [...withoutComments(file).matchAll(/\bimport\(\s*([^)]*)\)/g)].map(([, path]) => `${file}: ${path}`),
  )
  assert.deepEqual(
    dynamic.filter(each => !/: '[^'$]+'$/.test(each)),
    [],
  )
  assert.ok(dynamic.length > 0, 'the search finds dynamic imports')
})

/** Every source that writes to the disk; what it writes has a name that the server chose. */
const writers = [
  'src/adapters/blob/',
  'src/adapters/index/',
  'src/adapters/sql/',
  'src/adapters/workers/office-converter.ts',
  'src/adapters/workers/recording-splitter.ts',
  'src/app/stored-secret.ts',
  'src/backup/',
  'src/cli/',
  'src/kernel/durable-files.ts',
]

test('only reviewed sources write to the disk', () => {
  const writing = filesWith(
    /from 'node:fs[\s\S]*\b(writeFile|writeFileSync|appendFile|createWriteStream|mkdir|mkdirSync|mkdtemp|rename|renameSync|symlink|link|copyFile|unlink|rm|rmSync|truncate|chmod)\(|\bopen(Sync)?\([^)]*['"][wa]|\b(publishOnce|makeFolder)\(/,
  )
  assert.ok(writing.length > 0, 'the search finds writers')
  assert.deepEqual(
    writing.filter(file => !writers.some(allowed => file.startsWith(allowed))),
    [],
  )
})

test('the repository contains no keys', () => {
  const key =
    /\bsk-[A-Za-z0-9]{32,}|\bAKIA[0-9A-Z]{16}\b|-----BEGIN [A-Z ]*PRIVATE KEY|\bghp_\w{36}|banyan_[\w-]{43}/
  const files = ['src', 'console/src', 'scripts', 'migrations'].flatMap(folder =>
    filesBelow(folder, /\.(ts|tsx|md|sql|json|sh)$/),
  )
  assert.deepEqual(filesWith(key, files), [])
  assert.match(`sk-${'a'.repeat(40)}`, key)
})

test('no package with a known class of escapes or pollution is used', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
  const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, { dev?: boolean }> }
  const installed = Object.entries(lock.packages)
    .filter(([, { dev }]) => !dev)
    .map(([path]) => path.split('node_modules/').at(-1)!)
  for (const name of ['vm2', 'isolated-vm', 'xlsx', 'multer', 'extract-zip', 'adm-zip', 'lodash.merge'])
    assert.ok(!installed.includes(name), name)
  assert.ok(
    Object.keys(dependencies).every(name => installed.includes(name)),
    'the lock lists what is installed',
  )
})

/** The MCP SDK installs Express, and path-to-regexp with it, for helpers of its own that nothing here needs. */
test('no web framework is loaded', () => {
  const framework =
    /from '(express|hono|path-to-regexp|@hono\/.*|@modelcontextprotocol\/sdk\/server\/(express|auth|sse|streamableHttp).*)'/
  assert.deepEqual(filesWith(framework, filesBelow('src', /\.ts$/)), [])
  assert.match("from '@modelcontextprotocol/sdk/server/express.js'", framework)
})
