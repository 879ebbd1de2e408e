/**
 * Writes what docs/ says of settings, limits, errors, failures of documents, operations, kinds of nodes and events
 * from the tables that the server itself uses, and the settings into README.md. A test fails when a written file no
 * longer matches its table.
 *
 *   node scripts/write-reference.ts
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { settings } from '../src/config.ts'
import { errorCodes, type Reason, statusOf } from '../src/contract/error-codes.ts'
import { limits } from '../src/contract/limits.ts'
import type { Access } from '../src/contract/operation.ts'
import { operations } from '../src/contract/operations.ts'
import { accessSentence } from '../src/http/openapi.ts'
import { documentFailures } from '../src/knowledge/ingest/document-failure.ts'
import { runEventNames } from '../src/workflow/run/run-event.ts'
import { table } from './markdown-table.ts'
import { kindSections } from './reference-of-kinds.ts'

const root = join(import.meta.dirname, '..')
const note = '<!-- Written by `npm run docs`. Change the table it names, then run that again. -->'

const document = (title: string, words: string, ...parts: string[]): string =>
  `${[`# ${title}`, note, words, ...parts].join('\n\n')}\n`

/** 8388608 as 8 MiB: the largest unit that leaves a whole number. */
function bytes(value: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB']
  let at = 0
  let left = value
  while (at < units.length - 1 && left % 1024 === 0) {
    left /= 1024
    at += 1
  }
  return `${left} ${units[at]}`
}

function settingsTable(): string {
  const rows = Object.entries(settings).map(([name, { fallback, description }]) => {
    const size = name.endsWith('_BYTES') ? ` (${bytes(Number(fallback))})` : ''
    return [`\`${name}\``, fallback === '' ? 'unset' : `\`${fallback}\`${size}`, description]
  })
  return table(['Setting', 'Default', 'Meaning'], rows)
}

/** The comment above each limit, which no running program can see, from the source itself. */
function limitMeanings(): Map<string, string> {
  const source = readFileSync(join(root, 'src/contract/limits.ts'), 'utf8')
  const documented = source.matchAll(/\/\*\*\s*((?:(?!\*\/)[\s\S])*?)\s*\*\/\s*(\w+):/g)
  return new Map([...documented].map(match => [match[2]!, match[1]!.replace(/\s*\n\s*\*\s*/g, ' ')]))
}

const seconds = (milliseconds: number): string =>
  milliseconds % 3_600_000 === 0 ? `${milliseconds / 3_600_000} h` : `${milliseconds / 1000} s`

const units: readonly [RegExp, (value: number) => string][] = [
  [/Bytes$/, bytes],
  [/Milliseconds$/, seconds],
  [/Hours$/, value => `${value} h`],
  [/Length$/, value => `${value} characters`],
]

/** What the name says, where nobody wrote more: idempotencyKeyLength as Idempotency key. */
function nameWords(name: string): string {
  const unit = units.find(([suffix]) => suffix.test(name))?.[0] ?? /$^/
  const words = name.replace(unit, '').replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}

function limitsTable(): string {
  const meanings = limitMeanings()
  const rows = Object.entries(limits).map(([name, value]) => {
    const unit = units.find(([suffix]) => suffix.test(name))
    return [`\`${name}\``, unit ? unit[1](value) : String(value), meanings.get(name) ?? nameWords(name)]
  })
  return table(['Limit', 'Value', 'Meaning'], rows)
}

const errorsTable = (): string =>
  table(
    ['Code', 'Status', 'Reason', 'Meaning'],
    Object.entries(errorCodes).map(([reason, { code, meaning }]) => [
      String(code),
      String(statusOf(reason as Reason)),
      `\`${reason}\``,
      meaning,
    ]),
  )

const documentFailuresTable = (): string =>
  table(
    ['Code', 'Can another try help', 'Meaning'],
    Object.entries(documentFailures).map(([code, { retryable, meaning }]) => [
      `\`${code}\``,
      retryable ? 'yes' : 'no',
      meaning,
    ]),
  )

const eventsTable = (): string =>
  table(
    ['Event', 'What it tells'],
    Object.entries(runEventNames).map(([event, meaning]) => [`\`${event}\``, meaning]),
  )

const operationsTable = (): string =>
  table(
    ['Method', 'Path', 'Access', 'Summary'],
    operations.map(({ method, path, access, summary }) => [method, `\`${path}\``, access, summary]),
  )

function accessTable(): string {
  const used = new Set<Access>(operations.map(({ access }) => access))
  return table(
    ['Access', 'Who has it'],
    [...used].sort().map(access => [access, accessSentence(access)]),
  )
}

const readmeBlock = /(<!-- settings -->\n)[\s\S]*?(<!-- \/settings -->)/

/** The README with its block of settings renewed; undefined where there is none to renew. */
function readme(): string | undefined {
  let text: string
  try {
    text = readFileSync(join(root, 'README.md'), 'utf8')
  } catch {
    return undefined
  }
  const block = `$1${settingsTable().replaceAll('$', '$$$$')}\n$2`
  return readmeBlock.test(text) ? text.replace(readmeBlock, block) : undefined
}

/** Every written file with its text, by its path in the repository. */
export function referenceFiles(): Record<string, string> {
  const renewed = readme()
  return {
    'docs/reference/settings.md': document(
      'Settings',
      'Environment variables, read once at the start, in `src/config.ts` alone. An empty value counts as unset; a value that cannot be used keeps the server from starting and is named.',
      settingsTable(),
    ),
    'docs/reference/limits.md': document(
      'Limits',
      'What the service refuses, cuts off or waits for, from `src/contract/limits.ts`. They are part of the program; the largest file is a [setting](settings.md).',
      limitsTable(),
    ),
    'docs/reference/errors.md': document(
      'Errors',
      'Every way a call can fail, from `src/contract/error-codes.ts`. A code is the HTTP status and two digits, and never changes its meaning.',
      errorsTable(),
    ),
    'docs/reference/document-failures.md': document(
      'Failures of documents',
      'Why a document of a knowledge base can have the status `failed`, from `src/knowledge/ingest/document-failure.ts`: the `code`, `retryable` and meaning of its `error`. Its `message` says what to do about this one document.',
      documentFailuresTable(),
    ),
    'docs/reference/operations.md': document(
      'Operations',
      'The whole interface, from `src/contract`. A running server shows every field at `/docs`, and the same for programs at `/openapi.json`.',
      operationsTable(),
      accessTable(),
    ),
    'docs/reference/kinds.md': document(
      'Kinds of nodes',
      'Every value of `data.type`, from `src/nodes`. [Workflows](../workflows.md) explains how they work together, with an example of each. A template is a text in which references such as `{{#sys.query#}}` are replaced.',
      ...kindSections(),
    ),
    'docs/reference/events.md': document(
      'Events of a run',
      'What `POST /workflow/run` with `stream` 1 and `GET /workflow/runs/{run_id}/events` send, from `src/workflow/run/run-event.ts`. Every event also holds `run_id`, `seq` (its number, which only grows and may skip numbers), `event` and `at`.',
      eventsTable(),
    ),
    ...(renewed !== undefined && { 'README.md': renewed }),
  }
}

if (process.argv[1] === import.meta.filename)
  for (const [path, text] of Object.entries(referenceFiles())) {
    const target = join(root, path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, text)
    console.log(path)
  }
