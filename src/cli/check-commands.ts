import { type CheckReport, runChecks } from '../fsck/check.ts'
import { type Command, withAdapters } from './command.ts'
import type { CheckResult } from './doctor-checks.ts'

const line = ({ status, name, message }: CheckResult): string =>
  `${status.padEnd(8)} ${name.padEnd(21)} ${message}`

const doctor: Command = {
  name: 'doctor',
  summary: 'Check settings, database, files, disk, limits and models, and show how to fix problems.',
  details: `Run it with the environment of the server. It changes nothing: a database is not migrated, and a missing one is not
created. The models and the web search of the settings get one short request each, unless --offline is given. The exit code
is 1 if a check failed; warnings do not count. To check the consistency of stored data, use "fsck".`,
  usage: '[--offline]',
  example: 'doctor',
  run: async ({ flags }, config) => {
    // Loaded on demand, to keep the start of other commands fast.
    const { checkInstallation } = await import('./doctor-checks.ts')
    const results = await checkInstallation(config, flags.has('offline'))
    const wrong = results.filter(({ status }) => status === 'failed').length
    return {
      text: results.map(line).join('\n'),
      json: { ok: wrong === 0, checks: results },
      problem: wrong === 0 ? undefined : `${wrong} of ${results.length} checks failed.`,
    }
  },
}

const leftOf = ({ problems, left = problems }: CheckReport): number => left

function reportLines(report: CheckReport): string[] {
  const { name, promise, problems, examples, left, remedy } = report
  if (problems === 0) return [`ok        ${name}: ${promise}`]
  const state = left === 0 ? 'repaired' : 'problem '
  const more = problems > examples.length ? [`            … and ${problems - examples.length} more`] : []
  return [
    `${state}  ${name}: ${problems} found${left === undefined ? '' : `, ${left} left`}. ${leftOf(report) > 0 ? remedy : ''}`.trimEnd(),
    ...examples.map(
      ({ workspaceId, message }) => `            ${workspaceId ? `${workspaceId}: ` : ''}${message}`,
    ),
    ...more,
  ]
}

/** A statement over a large table may take long. */
const statementSeconds = 3600

const fsck: Command = {
  name: 'fsck',
  summary: 'Check that rows, stored contents and search indexes agree, whether the server is running or not.',
  details: `Finds rows that refer to missing rows, contents without rows and rows without contents, wrong counters, and
knowledge bases whose chunks, vectors or keyword index are incomplete. --repair deletes unusable rows, corrects counters,
rebuilds keyword indexes from the stored chunks, and queues incomplete documents for processing; it deletes nothing that
users can still see. The exit code is 1 if problems remain. To compare all contents with their checksums, use "scrub".`,
  usage: '[--repair]',
  example: 'fsck --repair',
  run: ({ flags }, config, signal) =>
    withAdapters({ ...config, databaseStatementSeconds: statementSeconds }, async adapters => {
      // Loaded on demand, to keep the start of other commands fast.
      const { checksOf } = await import('./fsck-checks.ts')
      const reports: CheckReport[] = []
      for await (const report of runChecks(checksOf(adapters), { repair: flags.has('repair'), signal }))
        reports.push(report)
      const left = reports.reduce((sum, report) => sum + leftOf(report), 0)
      return {
        text: reports.flatMap(reportLines).join('\n'),
        json: {
          ok: left === 0,
          checks: reports.map(({ examples, ...report }) => ({
            ...report,
            examples: examples.map(({ workspaceId, message }) => ({ workspace_id: workspaceId, message })),
          })),
        },
        problem: left === 0 ? undefined : `${left} problems are left.`,
      }
    }),
}

export const checkCommands = [doctor, fsck]
