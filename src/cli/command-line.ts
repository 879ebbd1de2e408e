import { parseArgs } from 'node:util'
import { readConfig } from '../config.ts'
import { accessCommands } from './access-commands.ts'
import { auditCommands } from './audit-commands.ts'
import { backupCommands } from './backup-commands.ts'
import { type Arguments, type Command, UsageError } from './command.ts'
import { doctorCommand } from './doctor/doctor-command.ts'
import { fileCommands } from './file-commands.ts'
import { fsckCommand } from './fsck-command.ts'
import { ingestCommand } from './ingest-command.ts'

const commands = [
  ...accessCommands,
  ...auditCommands,
  ...backupCommands,
  ...fileCommands,
  doctorCommand,
  fsckCommand,
  ingestCommand,
]
/** In a package the sources are compiled. */
const program = import.meta.filename.endsWith('.js') ? 'npx banyan' : 'npm run banyan --'

const usageOf = ({ name, usage }: Command): string => `${name} ${usage}`.trimEnd()

const helpOf = (command: Command): string =>
  [
    command.summary,
    '',
    `  ${program} ${usageOf(command)}`,
    ...(command.details ? ['', command.details] : []),
    '',
    `Example: ${program} ${command.example}`,
  ].join('\n')

function help(): string {
  const parts = commands.map(
    command => `  ${usageOf(command)}\n      ${command.summary}\n      ${program} ${command.example}`,
  )
  return `Banyan command line for operators: ${program} COMMAND

${parts.join('\n\n')}

  help [COMMAND]
      Show this page, or more about one command.

Commands use the same settings as the server (DATA_DIR, DATABASE_URL, …) and work on the data directly, whether the
server is running or not; only ingest needs a running server. Add --json for machine-readable output:
npm run --silent banyan -- token list --json`
}

const commonOptions = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const

const findCommand = (words: string[]): Command | undefined =>
  commands.find(({ name }) => name.split(' ').every((part, index) => words[index] === part))

function unknownCommand(words: string[]): UsageError {
  const related = commands.filter(({ name }) => name.split(' ')[0] === words[0]).map(({ name }) => name)
  return new UsageError(
    related.length > 0
      ? `Choose one of: ${related.join(', ')}.`
      : `There is no command ${words.slice(0, 2).join(' ')}.`,
  )
}

function parseOptions({ usage }: Command, rest: string[]) {
  const options = [...usage.matchAll(/--([a-z-]+)( [A-Z])?/g)].map(([, name, value]) => [
    name,
    { type: value ? 'string' : 'boolean' },
  ])
  try {
    return parseArgs({
      args: rest,
      options: { ...Object.fromEntries(options), ...commonOptions },
      allowPositionals: true,
      strict: true,
    })
  } catch (error) {
    // The first sentence names the error; the others are about parseArgs.
    const [sentence] = (error as Error).message.split(/\.(\s|$)/)
    throw new UsageError(`${sentence}.`)
  }
}

/** Undefined when the help is wanted, not the command. */
function parseArguments(command: Command, words: string[]): (Arguments & { json: boolean }) | undefined {
  const { values, positionals } = parseOptions(command, words)
  const { json, help, ...given } = values as Record<string, string | boolean | undefined>
  if (help) return undefined
  if (positionals.length !== (/^[A-Z]/.test(command.usage) ? 1 : 0))
    throw new UsageError(`Usage: ${usageOf(command)}.`)
  const options = Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
  const flags = new Set(Object.keys(given).filter(name => given[name] === true))
  return { argument: positionals[0] ?? '', options, flags, json: json === true }
}

/** Ctrl-C lets a backup or a restore clean up; a second one ends the process at once. */
function untilInterrupted(): AbortSignal {
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interrupted.abort(new Error('Interrupted; nothing was changed.')))
  return interrupted.signal
}

async function runCommand(words: string[]): Promise<number> {
  const wantsHelp = words.length === 0 || ['help', '--help', '-h'].includes(words[0]!)
  const rest = wantsHelp ? words.slice(1) : words
  const command = findCommand(rest)
  if (!command && rest.length > 0) throw unknownCommand(rest)
  const given =
    command && !wantsHelp ? parseArguments(command, rest.slice(command.name.split(' ').length)) : undefined
  if (!command || !given) {
    console.log(command ? helpOf(command) : help())
    return 0
  }
  const outcome = await command.run(given, readConfig(), untilInterrupted())
  console.log(given.json ? JSON.stringify(outcome.json) : outcome.text)
  if (!outcome.problem) return 0
  console.error(outcome.problem)
  return 1
}

/** Operators get a sentence, not a stack. */
function sentenceOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return /[.?!]$/.test(message) || message.includes('\n') ? message : `${message}.`
}

/** Runs the command that the words name, and sets the exit code of the process. */
export async function runCommandLine(words: string[]): Promise<void> {
  try {
    process.exitCode = await runCommand(words)
  } catch (error) {
    const isUsageError = error instanceof UsageError
    console.error(`${sentenceOf(error)}${isUsageError ? ` See: ${program} help` : ''}`)
    process.exitCode = isUsageError ? 2 : 1
  }
}
