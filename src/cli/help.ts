import type { Command } from './command.ts'

const run = 'npm run banyan --'

export function helpOf(command: Command): string {
  return [
    command.summary,
    '',
    `  ${run} ${command.name} ${command.usage}`.trimEnd(),
    ...(command.details ? ['', command.details] : []),
    '',
    `Example: ${run} ${command.example}`,
  ].join('\n')
}

export function help(commands: Command[]): string {
  const parts = commands.map(
    command =>
      `  ${`${command.name} ${command.usage}`.trimEnd()}\n      ${command.summary}\n      ${run} ${command.example}`,
  )
  return `Banyan, the operator's command line: ${run} COMMAND

${parts.join('\n\n')}

  help [COMMAND]
      This page, or more about one command.

It takes the same settings as the server (DATA_DIR, DATABASE_URL, …) and works on the data itself, whether
the server runs or not; only ingest calls a server that runs. Add --json for output that programs read: npm run --silent banyan -- token list --json`
}
