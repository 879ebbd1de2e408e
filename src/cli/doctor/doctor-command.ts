import type { Command } from '../command.ts'
import type { CheckResult } from './check.ts'

const line = ({ status, name, message }: CheckResult): string =>
  `${status.padEnd(8)} ${name.padEnd(21)} ${message}`

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Check settings, database, files, disk, limits and models, and say what to do.',
  details: `Changes nothing: a database is not migrated, and a missing one is not created. Models and web search of the
settings get one short request each, unless --offline is given. Use the environment of the server. The exit code is 1 when
a check failed; a warning is no failure. For the consistency of stored data, see fsck.`,
  usage: '[--offline]',
  example: 'doctor',
  run: async ({ flags }, config) => {
    // Loaded on demand, to keep the start of other commands fast.
    const { checkDatabase } = await import('./database-checks.ts')
    const { checkEnvironment } = await import('./environment-checks.ts')
    const { results, database } = await checkDatabase(config)
    try {
      results.push(...(await checkEnvironment(config, database)))
    } finally {
      await database?.close()
    }
    if (!flags.has('offline')) {
      const { checkModels } = await import('./model-checks.ts')
      results.push(...(await checkModels(config)))
    }
    const wrong = results.filter(({ status }) => status === 'failed').length
    return {
      text: results.map(line).join('\n'),
      json: { ok: wrong === 0, checks: results },
      problem: wrong === 0 ? undefined : `${wrong} of ${results.length} checks failed.`,
    }
  },
}
