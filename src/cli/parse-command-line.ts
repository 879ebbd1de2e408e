import { parseArgs } from 'node:util'
import type { Arguments, Command } from './command.ts'
import { UsageError } from './usage-error.ts'

export interface Parsed {
  command: Command | undefined
  given: Arguments
  json: boolean
  /** The command was asked about, not for. */
  help: boolean
}

const everywhere = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const

const findCommand = (commands: Command[], words: string[]): Command | undefined =>
  commands.find(({ name }) => name.split(' ').every((part, index) => words[index] === part))

function unknown(commands: Command[], words: string[]): string {
  const related = commands.filter(({ name }) => name.split(' ')[0] === words[0]).map(({ name }) => name)
  return related.length > 0
    ? `Which one: ${related.join(', ')}?`
    : `There is no command ${words.slice(0, 2).join(' ')}.`
}

function parseOptions(command: Command, rest: string[]) {
  try {
    return parseArgs({
      args: rest,
      options: { ...command.options, ...everywhere },
      allowPositionals: true,
      strict: true,
    })
  } catch (error) {
    // The first sentence says what is wrong; those that follow are about parseArgs.
    const [sentence] = (error as Error).message.split(/\.(\s|$)/)
    throw new UsageError(`${sentence}.`)
  }
}

export function parseCommandLine(commands: Command[], words: string[]): Parsed {
  const nothing = { positionals: {}, options: {} }
  const asked = words[0] === 'help' || words[0] === '--help' || words[0] === '-h' || words.length === 0
  const rest = asked ? words.slice(1) : words
  const command = findCommand(commands, rest)
  if (!command && rest.length > 0) throw new UsageError(unknown(commands, rest))
  if (!command || asked) return { command, given: nothing, json: false, help: true }

  const { values, positionals } = parseOptions(command, rest.slice(command.name.split(' ').length))
  const { json, help, ...options } = values as Arguments['options']
  if (help) return { command, given: nothing, json: false, help: true }
  if (positionals.length !== command.positionals.length)
    throw new UsageError(`It is written ${`${command.name} ${command.usage}`.trimEnd()}.`)
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
