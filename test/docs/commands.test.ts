import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { globSync, readFileSync, symlinkSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { commandModule } from '../cli/run-banyan.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { dataOf, whenIngested } from '../support/knowledge.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { type ScriptedProvider, startScriptedProvider } from '../support/scripted-provider.ts'
import { type ServerProcess, spawnServer } from '../support/server-process.ts'

const root = join(import.meta.dirname, '../..')
const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/*.md', { cwd: root }).sort()]

/** Accepted reasons to skip a block. It is marked with `<!-- not run: reason -->` on the line before it. */
const acceptedReasons = new Set([
  'installs packages and starts the server',
  'installs packages and runs these tests',
  'starts the server',
  'runs these tests',
  'takes about an hour',
  'takes hours',
  'needs a model provider',
  'needs PostgreSQL',
  'needs an S3 store',
])

interface Block {
  line: number
  commands: string
  skippedBecause: string | undefined
}

function shellBlocks(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/(?:<!-- not run: (.*) -->\n)?```(?:sh|bash)\n([\s\S]*?)\n```/g)].map(match => ({
    line: text.slice(0, match.index).split('\n').length,
    commands: match[2]!,
    skippedBecause: match[1],
  }))
}

/** Reports calls that fail: curl itself exits with 0 for every response. */
const curlWrapper = (curl: string): string => `#!/usr/bin/env bash
body=$(mktemp)
${curl} -sS "$@" > "$body"
status=$?
cat "$body"
if [ $status -ne 0 ] || grep -qE '"code":[1-9]|"status":"failed"' "$body"; then
  { echo "curl $*"; head -c 600 "$body"; echo; } >> "$FAILURES"
fi
rm "$body"
exit $status
`

/**
 * The first command of a page goes through npm. It takes longer to start than most commands take, so the others do what
 * its script says.
 */
const npmWrapper = (npm: string, folder: string): string => `#!/usr/bin/env bash
if [ -e "$FAILURES.npm" ] && [[ "$*" =~ ^run\\ (--silent\\ )?banyan\\ --\\  ]]; then
  while [ "$1" != -- ]; do shift; done
  shift
  cd '${folder}' && exec '${process.execPath}' '${commandModule}' "$@"
fi
touch "$FAILURES.npm"
exec ${npm} "$@"
`

/** All blocks of a page in one shell, as a reader pastes them; a command that fails is reported with its block. */
const scriptOf = (page: string, blocks: readonly Block[]): string =>
  [
    'set -E',
    `trap 'echo "$BLOCK: $BASH_COMMAND: exit code $?" >> "$FAILURES"' ERR`,
    ...blocks.flatMap(({ line, commands }) => [`BLOCK='${page}:${line}'`, commands]),
  ].join('\n')

/** A folder that looks like a fresh clone with a running server, without the server's data in the project itself. */
async function cloneFolder(database: FreshDatabase): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-docs-'))
  for (const name of [
    'package.json',
    'src',
    'node_modules',
    'migrations',
    'docs',
    'scripts',
    'console',
    'examples',
  ])
    symlinkSync(join(root, name), join(folder, name))
  symlinkSync(database.folder, join(folder, 'data'))
  await mkdir(join(folder, '.bin'))
  const find = (program: string): string => execFileSync('which', [program], { encoding: 'utf8' }).trim()
  await writeFile(join(folder, '.bin/curl'), curlWrapper(find('curl')), { mode: 0o755 })
  await writeFile(join(folder, '.bin/npm'), npmWrapper(find('npm'), folder), { mode: 0o755 })
  return folder
}

async function runBlocks(page: string, blocks: readonly Block[], server: ServerProcess, folder: string) {
  const { port } = new URL(server.base)
  const failures = join(folder, '.failures')
  await writeFile(failures, '')
  const script = scriptOf(page, blocks).replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
  const { TEST_DATABASE_URL: _, BOOTSTRAP_TOKEN: __, DATA_DIR: ___, ...inherited } = process.env
  const env = {
    ...inherited,
    PATH: `${join(folder, '.bin')}:${process.env['PATH']}`,
    PORT: port,
    FAILURES: failures,
  }
  const output = await new Promise<string>(resolve => {
    const child = execFile(
      'bash',
      ['-c', script],
      { cwd: folder, env, maxBuffer: 1e8 },
      (_, stdout, stderr) => resolve(`${stdout}\n${stderr}`),
    )
    child.stdin!.end()
  })
  return { failures: readFileSync(failures, 'utf8'), output }
}

const isOnPostgres = process.env['TEST_DATABASE_URL'] !== undefined

// The pages describe a server on SQLite.
describe('the commands of README and docs', { skip: isOnPostgres, concurrency: 2 }, () => {
  let model: ScriptedModel
  let embeddings: ScriptedProvider
  /** The data of a server after its first start, with the demo ingested. Each page gets a copy. */
  let started: FreshDatabase

  const start = (database: FreshDatabase): Promise<ServerProcess> =>
    spawnServer(database, {
      ...model.environment,
      EMBEDDING_BASE_URL: embeddings.baseUrl,
      EMBEDDING_MODEL: 'scripted',
      DEMO: 'on',
      LOG_LEVEL: 'warn',
    })

  before(async () => {
    model = await startScriptedModel()
    embeddings = await startScriptedProvider()
    started = await freshDatabase()
    const first = await start(started)
    const [demo] = (await dataOf(first.api.post('knowledge'))).items
    assert.ok((await whenIngested(first.api, demo.knowledge_id)).document_count > 3)
    assert.equal(await first.kill('SIGTERM'), 0)
  })
  after(async () => {
    await model.stop()
    await embeddings.close()
    await started.drop()
  })

  for (const page of pages) {
    const blocks = shellBlocks(page)
    const runnable = blocks.filter(block => block.skippedBecause === undefined)

    for (const { line, skippedBecause } of blocks)
      if (skippedBecause !== undefined)
        it(`${page}:${line} is skipped for an accepted reason: ${skippedBecause}`, () =>
          assert.ok(acceptedReasons.has(skippedBecause)))

    if (runnable.length > 0)
      it(`${page}: all ${runnable.length} blocks run in order on a fresh server`, async t => {
        const database = await freshDatabase()
        await cp(started.folder, database.folder, { recursive: true })
        const server = await start(database)
        const folder = await cloneFolder(database)
        t.after(async () => {
          await server.kill('SIGKILL')
          await rm(folder, { recursive: true, force: true })
          await database.drop()
        })
        const { failures, output } = await runBlocks(page, runnable, server, folder)
        assert.equal(failures, '', output.slice(-4000))
      })
  }
})
