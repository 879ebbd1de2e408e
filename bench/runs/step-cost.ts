import { takeJob } from '../other-process.ts'
import { bareRunner } from './bare-steps.ts'
import { engineRunner } from './engine-steps.ts'
import { langgraphRunner } from './langgraph-steps.ts'
import type { RunOnce, Shape } from './step-graph.ts'

/** The runner of the steps: our engine with synchronous steps or with promises, a plain loop, or the library. */
export type Runner = 'steps at once' | 'steps with promises' | 'bare' | 'langgraph'

export interface StepJob {
  runner: Runner
  shapes: { shape: Shape; size: number }[]
  warmUpMilliseconds: number
  milliseconds: number
}

const runners: Record<Runner, (shape: Shape, size: number) => RunOnce> = {
  'steps at once': (shape, size) => engineRunner(shape, size, 'work'),
  'steps with promises': (shape, size) => engineRunner(shape, size, 'slow_work'),
  bare: bareRunner,
  langgraph: langgraphRunner,
}

/** Microseconds per run; at least one run is measured, however long it takes. */
async function repeat(once: RunOnce, milliseconds: number): Promise<number> {
  const begun = performance.now()
  let runs = 0
  let spent = 0
  do {
    await once()
    runs += 1
    spent = performance.now() - begun
  } while (spent < milliseconds)
  return (spent * 1000) / runs
}

/** Microseconds per step, one figure for each shape. The graph is compiled before, as the server does once for all runs. */
takeJob(async ({ runner, shapes, warmUpMilliseconds, milliseconds }: StepJob): Promise<number[]> => {
  const costs: number[] = []
  for (const { shape, size } of shapes) {
    const once = runners[runner](shape, size)
    await repeat(once, warmUpMilliseconds)
    costs.push((await repeat(once, milliseconds)) / size)
  }
  return costs
})
