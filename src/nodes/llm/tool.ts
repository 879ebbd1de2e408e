import type { ToolDefinition } from '../../models/language-model.ts'
import type { JsonRecord } from '../../workflow/node-kind.ts'

/** Which call of a tool this is. */
export interface ToolUse {
  /** Unique within the step. */
  readonly name: string
  /** The same after a crash; a header can carry it. */
  readonly idempotencyKey: string
  readonly signal: AbortSignal
}

/** Something that a model may use. Its answer is a text for the model; a failure is told to the model, too. */
export interface Tool extends ToolDefinition {
  call(args: JsonRecord, use: ToolUse): Promise<string>
}

/** Thrown by a tool whose workflow asks the user: the whole step waits, and does it again after the answer. */
export class ChildWaits extends Error {}
