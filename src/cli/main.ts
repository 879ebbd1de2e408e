import { readConfig } from '../config.ts'
import { backupCommands } from './backup-commands.ts'
import { help, helpOf } from './help.ts'
import { ingestCommand } from './ingest-command.ts'
import { parseCommandLine } from './parse-command-line.ts'
import { tokenCommands } from './token-commands.ts'
import { UsageError } from './usage-error.ts'
import { workspaceCommands } from './workspace-commands.ts'

const commands = [...tokenCommands, ...workspaceCommands, ...backupCommands, ingestCommand]

/** Ctrl-C lets a backup or a restore take its traces away; a second one does not wait for that. */
function untilInterrupted(): AbortSignal {
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interrupted.abort(new Error('Interrupted; nothing was changed.')))
  return interrupted.signal
}

async function main(words: string[]): Promise<number> {
  const { command, given, json, help: asked } = parseCommandLine(commands, words)
  if (!command || asked) {
    console.log(command ? helpOf(command) : help(commands))
    return 0
  }
  const outcome = await command.run(given, readConfig(), untilInterrupted())
  console.log(json ? JSON.stringify(outcome.json) : outcome.text)
  if (!outcome.problem) return 0
  console.error(outcome.problem)
  return 1
}

/** People who run a server get a sentence, not a stack. */
function sentenceOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return /[.?!]$/.test(message) || message.includes('\n') ? message : `${message}.`
}

main(process.argv.slice(2)).then(
  code => {
    process.exitCode = code
  },
  (error: unknown) => {
    const isWrongUse = error instanceof UsageError
    console.error(`${sentenceOf(error)}${isWrongUse ? ' See: npm run banyan -- help' : ''}`)
    process.exitCode = isWrongUse ? 2 : 1
  },
)
