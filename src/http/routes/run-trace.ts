import { createHash } from 'node:crypto'
import type { FinishedSpan } from '../../tracing/otlp.ts'
import { readState, stepAround } from '../../workflow/run/step-record.ts'
import type { RunRecord, StepRecord } from '../../workflow/run/store/run-records.ts'

const digits = (length: number, ...parts: string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, length)

/** A run as spans with ids that follow from its own, so that a second export is the same trace. */
export function traceOf(run: RunRecord, steps: readonly StepRecord[], now: number): FinishedSpan[] {
  const traceId = digits(32, run.id)
  const root = digits(16, run.id, 'run')
  const known = new Set(steps.map(step => step.path))
  const spanOf = (path: string): string => digits(16, run.id, path)
  const usage = (of: RunRecord | StepRecord, cost: number) => ({
    'gen_ai.usage.input_tokens': of.promptTokens,
    'gen_ai.usage.output_tokens': of.completionTokens,
    'banyan.cost': cost,
  })
  const spans = steps.map((step): FinishedSpan => {
    const parent = stepAround(step.path)
    return {
      traceId,
      spanId: spanOf(step.path),
      parentId: known.has(parent) ? spanOf(parent) : root,
      name: `node ${step.kind}`,
      kind: 'internal',
      startedAt: step.startedAt * 1000,
      endedAt: (step.finishedAt ?? now) * 1000,
      error: step.error?.reason,
      attributes: {
        'banyan.node.id': step.path,
        'banyan.node.kind': step.kind,
        'banyan.node.title': step.title,
        'banyan.node.status': step.status,
        'banyan.node.attempts': step.attempts,
        ...usage(step, readState(step.state).cost ?? 0),
        ...(step.inputs !== undefined && { 'banyan.node.inputs': step.inputs }),
        ...(step.outputs !== undefined && { 'banyan.node.outputs': step.outputs }),
      },
    }
  })
  const own: FinishedSpan = {
    traceId,
    spanId: root,
    parentId: undefined,
    name: 'run',
    kind: 'internal',
    startedAt: run.createdAt * 1000,
    endedAt: (run.finishedAt ?? now) * 1000,
    error: run.error?.reason,
    attributes: {
      'banyan.run.id': run.id,
      'banyan.run.status': run.status,
      'banyan.run.trigger': run.trigger,
      'banyan.workflow.id': run.workflowId,
      'banyan.workflow.version': run.version,
      'banyan.agent.id': run.agentId,
      'banyan.run.inputs': run.inputs,
      'banyan.run.answer': run.answer,
      ...usage(run, run.cost),
    },
  }
  return [own, ...spans]
}
