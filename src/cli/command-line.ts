import { parseArgs } from 'node:util'
import { programVersion } from '../app/program-version.ts'
import { readConfig } from '../config/config.ts'
import { accessCommands } from './access-commands.ts'
import { agentCommands } from './agent-commands.ts'
import { auditCommands } from './audit-commands.ts'
import { backupCommands } from './backup-commands.ts'
import { checkCommands } from './check-commands.ts'
import { type Arguments, type Command, UsageError } from './command.ts'
import { fileCommands } from './file-commands.ts'
import { ingestCommand } from './ingest-command.ts'
import { workflowCommands } from './workflow-commands.ts'

const serverCommands = [...workflowCommands, ...agentCommands, ingestCommand]
const commands = [
  ...accessCommands,
  ...auditCommands,
  ...backupCommands,
  ...fileCommands,
  ...checkCommands,
  ...serverCommands,
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

const overviewOf = (shown: readonly Command[]): string =>
  shown
    .map(command => `  ${usageOf(command)}\n      ${command.summary}\n      ${program} ${command.example}`)
    .join('\n\n')

const help = (): string => `Banyan command line: ${program} COMMAND

${overviewOf(commands)}

  help [COMMAND]
      Show this page, or more about one command.

  --version
      Show the version of the program.

Commands for ${[...new Set(serverCommands.map(({ name }) => name.split(' ')[0]))].join(', ')} call a running server. All others use the same settings as the
server (DATA_DIR, DATABASE_URL, …) and work on the data directly, whether the server is running or not. Exit codes: 0
success, 1 failure, 2 wrong usage. Add --json for machine-readable output: npm run --silent banyan -- token list --json`

const commonOptions = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const

const findCommand = (words: string[]): Command | undefined =>
  commands.find(({ name }) => name.split(' ').every((part, index) => words[index] === part))

/** The commands whose first word is this one: `token` stands for "token create", "token list" and "token delete". */
const groupOf = (word: string | undefined): Command[] =>
  commands.filter(({ name }) => name.split(' ')[0] === word)

function unknownCommand(words: string[]): UsageError {
  const related = groupOf(words[0]).map(({ name }) => name)
  return new UsageError(
    related.length > 0
      ? `Choose one of: ${related.join(', ')}.`
      : `There is no command ${words.slice(0, 2).join(' ')}.`,
  )
}

/** What `help` shows about these words. */
function helpAbout(words: string[]): string {
  if (words.length === 0) return help()
  const command = findCommand(words)
  if (command) return helpOf(command)
  const group = words.length === 1 ? groupOf(words[0]) : []
  if (group.length === 0) throw unknownCommand(words)
  return `${overviewOf(group)}\n\nMore about one of them: ${program} help ${group[0]!.name}`
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

/** Undefined if the arguments ask for help. */
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
function untilInterrupted({ isAllOrNothing }: Command): Disposable & { signal: AbortSignal } {
  const interrupted = new AbortController()
  const state = isAllOrNothing ? 'nothing was changed' : 'run the command again to continue'
  const abort = (): void => interrupted.abort(new Error(`Interrupted; ${state}.`))
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.once(signal, abort)
  return {
    signal: interrupted.signal,
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, abort)
    },
  }
}

type Output = Pick<Console, 'log' | 'error'>
/** The environment variables; by default those of the process. */
type Environment = Parameters<typeof readConfig>[0]

async function runCommand(words: string[], output: Output, environment?: Environment): Promise<number> {
  const [first = 'help', ...rest] = words
  if (first === '--version' || ['help', '--help', '-h'].includes(first)) {
    output.log(first === '--version' ? await programVersion() : helpAbout(rest))
    return 0
  }
  const command = findCommand(words)
  if (!command) throw unknownCommand(words)
  const given = parseArguments(command, words.slice(command.name.split(' ').length))
  if (!given) {
    output.log(helpOf(command))
    return 0
  }
  using interrupted = untilInterrupted(command)
  const outcome = await command.run(given, readConfig(environment), interrupted.signal)
  output.log(given.json ? JSON.stringify(outcome.json) : outcome.text)
  if (!outcome.problem) return 0
  output.error(outcome.problem)
  return 1
}

/** The help for a wrong command line: that of its command, or of the group of its first word. */
function helpFor(words: string[]): string {
  const topic = findCommand(words)?.name ?? (groupOf(words[0]).length > 0 ? words[0] : undefined)
  return [program, 'help', ...(topic === undefined ? [] : [topic])].join(' ')
}

/** Operators get a sentence, not a stack. */
function sentenceOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return /[.?!]$/.test(message) || message.includes('\n') ? message : `${message}.`
}

/** Runs the command that the words name, and returns the exit code of the process. */
export async function runCommandLine(
  words: string[],
  output: Output = console,
  environment?: Environment,
): Promise<number> {
  try {
    return await runCommand(words, output, environment)
  } catch (error) {
    const isUsageError = error instanceof UsageError
    output.error(`${sentenceOf(error)}${isUsageError ? ` See: ${helpFor(words)}` : ''}`)
    return isUsageError ? 2 : 1
  }
}
