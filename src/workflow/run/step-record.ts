import { pointerSegment } from '../../contract/finding.ts'
import type { Wait } from '../step.ts'
import type { PlannedNode } from './plan.ts'
import type { UnsentMessage } from './run-context.ts'
import type { StepRecord } from './store/run-records.ts'

/**
 * Identifies a step of a run: the id of its node, preceded by the path of the step around it if it runs inside another
 * workflow. A slash in an id is written as `~1` and a tilde as `~0`, as in a JSON pointer, so that paths are unique.
 */
export const stepPath = (prefix: string, nodeId: string): string => prefix + pointerSegment(nodeId)

/** The path of the step around a step: the name of the call comes between them. */
export const stepAround = (path: string): string => path.split('/').slice(0, -2).join('/')

/** The id of the node that a path ends with. */
export const nodeOfPath = (path: string): string =>
  path
    .slice(path.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')

/** The state of a step besides its outputs that the engine needs to continue after a crash or a wait. */
export interface StepState {
  case?: string | undefined
  assign?: Readonly<Record<string, unknown>> | undefined
  wait?: Wait | undefined
  /** How many questions it has asked. */
  asked?: number | undefined
  /** By the prices of the models it has called. */
  cost?: number | undefined
  /** How a failure was handled. */
  handled?: 'skip' | 'default' | 'branch'
  /** Messages that are not sent yet, because those of earlier nodes come first. */
  unsaid?: readonly UnsentMessage[] | undefined
}

export const readState = (text: string | undefined): StepState =>
  text === undefined ? {} : (JSON.parse(text) as StepState)

export function writeState(state: StepState): string | undefined {
  const text = JSON.stringify(state)
  return text === '{}' ? undefined : text
}

/** A step that was not started yet. */
export const newRecord = (node: PlannedNode, path: string, startedAt: number): StepRecord => ({
  path,
  kind: node.kind.kind,
  title: node.title,
  status: 'running',
  attempts: 0,
  starts: 0,
  promptTokens: 0,
  completionTokens: 0,
  startedAt,
  finishedAt: undefined,
  error: undefined,
  state: undefined,
  inputs: undefined,
  outputs: undefined,
})
