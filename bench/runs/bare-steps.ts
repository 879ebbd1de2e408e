import type { RunOnce, Shape } from './step-graph.ts'

const step = async (): Promise<{ value: number }> => ({ value: 1 })

/** The lower limit for running steps: await each one and keep its result. */
export function bareRunner(shape: Shape, size: number): RunOnce {
  const steps = Array.from({ length: size }, () => step)
  if (shape === 'fan-out') return async () => [await Promise.all(steps.map(each => each())), await step()]
  return async () => {
    const outputs: { value: number }[] = []
    for (const each of steps) outputs.push(await each())
    return outputs
  }
}
