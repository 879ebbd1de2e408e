import { parseArgs } from 'node:util'
import { readConfig } from '../config.ts'
import { accessCommands } from './access-commands.ts'
import { backupCommands } from './backup-commands.ts'
import { type Arguments, type Command, UsageError } from './command.ts'
import { ingestCommand } from './ingest-command.ts'

const commands = [...accessCommands, ...backupCommands, ingestCommand]
const program = 'npm run banyan --'

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

interface Parsed {
  command: Command | undefined
  given: Arguments
  json: boolean
  /** The help of the command is wanted, not the command. */
  help: boolean
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

function parseOptions(command: Command, rest: string[]) {
  try {
    return parseArgs({
      args: rest,
      options: { ...command.options, ...commonOptions },
      allowPositionals: true,
      strict: true,
    })
  } catch (error) {
    // The first sentence names the error; the others are about parseArgs.
    const [sentence] = (error as Error).message.split(/\.(\s|$)/)
    throw new UsageError(`${sentence}.`)
  }
}

function parseCommandLine(words: string[]): Parsed {
  const nothing = { positionals: {}, options: {} }
  const wantsHelp = words[0] === 'help' || words[0] === '--help' || words[0] === '-h' || words.length === 0
  const rest = wantsHelp ? words.slice(1) : words
  const command = findCommand(rest)
  if (!command && rest.length > 0) throw unknownCommand(rest)
  if (!command || wantsHelp) return { command, given: nothing, json: false, help: true }

  const { values, positionals } = parseOptions(command, rest.slice(command.name.split(' ').length))
  const { json, help, ...options } = values as Arguments['options']
  if (help) return { command, given: nothing, json: false, help: true }
  if (positionals.length !== command.positionals.length) throw new UsageError(`Usage: ${usageOf(command)}.`)
  return {
    command,
    given: {
      positionals: Object.fromEntries(command.positionals.map((name, index) => [name, positionals[index]!])),
      options,
    },
    json: json === true,
    help: false,
  }
}

/** Ctrl-C lets a backup or a restore clean up; a second one ends the process at once. */
function untilInterrupted(): AbortSignal {
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interrupted.abort(new Error('Interrupted; nothing was changed.')))
  return interrupted.signal
}

async function main(words: string[]): Promise<number> {
  const { command, given, json, help: wantsHelp } = parseCommandLine(words)
  if (!command || wantsHelp) {
    console.log(command ? helpOf(command) : help())
    return 0
  }
  const outcome = await command.run(given, readConfig(), untilInterrupted())
  console.log(json ? JSON.stringify(outcome.json) : outcome.text)
  if (!outcome.problem) return 0
  console.error(outcome.problem)
  return 1
}

/** Operators get a sentence, not a stack. */
function sentenceOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return /[.?!]$/.test(message) || message.includes('\n') ? message : `${message}.`
}

main(process.argv.slice(2)).then(
  code => {
    process.exitCode = code
  },
  (error: unknown) => {
    const isUsageError = error instanceof UsageError
    console.error(`${sentenceOf(error)}${isUsageError ? ` See: ${program} help` : ''}`)
    process.exitCode = isUsageError ? 2 : 1
  },
)
