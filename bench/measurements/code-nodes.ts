import { join } from 'node:path'
import { createWorkflow } from '../api.ts'
import { requestsPerSecond } from '../load.ts'
import type { BenchOptions, Row } from '../measurement.ts'
import { runElsewhere } from '../other-process.ts'
import type { CodeCost, CodeJob } from '../runs/code-cost.ts'
import { stepGraphs } from '../runs/run-graphs.ts'
import { type ServerProcess, withServer } from '../server-process.ts'
import { sideBySide } from '../side-by-side.ts'
import { milliseconds, perSecond } from '../units.ts'
import { withWorkFolder } from '../work-folder.ts'
import { crowdOf } from './runs-per-second.ts'

export const name = 'code-nodes'

const maxMilliseconds = 1
const targetPerSecond = 1000

const labels = { javascript: 'JavaScript', python: 'Python' } as const
type Language = keyof typeof labels

interface Length {
  rounds: number
  milliseconds: number
  calls: number
}

/** The interpreter of Python has no build for some platforms. */
const languages = async (): Promise<Language[]> =>
  import('@pydantic/monty').then(
    () => ['javascript', 'python'],
    () => ['javascript'],
  )

async function costRow(language: Language, { calls }: Length): Promise<Row> {
  const job = { language, warmUpCalls: Math.min(calls, 2000), calls }
  const cost = await runElsewhere<CodeJob, CodeCost>('runs/code-cost.ts', job)
  return {
    label: `A short ${labels[language]} function, with the hand-over to its worker and back`,
    ours: milliseconds(cost.milliseconds),
    target: `≤ ${maxMilliseconds} ms`,
    met: cost.milliseconds <= maxMilliseconds,
  }
}

async function runsRow(server: ServerProcess, language: Language, length: Length): Promise<Row> {
  const crowds = {
    code: crowdOf(await createWorkflow(server, stepGraphs[language])),
    template: crowdOf(await createWorkflow(server, stepGraphs.template)),
  }
  const measure = (which: keyof typeof crowds) => () =>
    requestsPerSecond(server, length.milliseconds, crowds[which])
  await measure('code')()
  await measure('template')()
  const { ours, limit, ratio } = await sideBySide(length.rounds, measure('code'), measure('template'))
  return {
    label: `Journaled runs of 4 nodes, one of them ${labels[language]} code, ${crowds.code.connections} clients: against a template in its place`,
    ours: perSecond(ours),
    limit: perSecond(limit),
    ratio,
    target: `≥ ${targetPerSecond.toLocaleString('en')}/s`,
    met: ours >= targetPerSecond,
  }
}

export const run = async ({ isQuick }: BenchOptions): Promise<Row[]> => {
  const length = isQuick
    ? { rounds: 1, milliseconds: 1000, calls: 1000 }
    : { rounds: 5, milliseconds: 3000, calls: 10_000 }
  const rows: Row[] = []
  for (const language of await languages()) {
    rows.push(await costRow(language, length))
    rows.push(
      await withWorkFolder(folder =>
        withServer(join(folder, 'data'), server => runsRow(server, language, length)),
      ),
    )
  }
  return rows
}
