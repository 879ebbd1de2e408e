import type { Reason } from '../contract/error-codes.ts'

/** What a node gives to those after it, by name. */
export type Outputs = Readonly<Record<string, unknown>>

export interface TokenUsage {
  promptTokens: number
  completionTokens: number
}

/** A file that came with what the user said, as references see it. */
export interface RunFile {
  file_id: string
  name: string
  mime_type: string
  size: number
}

export interface HistoryEntry {
  role: 'user' | 'assistant'
  content: string
}

/** What `{{#sys.…#}}` gives. The names are those of the wire. */
export interface SystemValues {
  query: string
  files: readonly RunFile[]
  action: string
  conversation_id: string
  user_id: string
  agent_id: string
  run_id: string
  /** When the run began, in ISO 8601. */
  time: string
  /** What was said before in this conversation, oldest first. */
  history: readonly HistoryEntry[]
  /** Everything that was handed to the run, the query and the files included. */
  inputs: Readonly<Record<string, unknown>>
  /** The model that is used where a node names none; empty when none is configured. */
  model: string
  /** Inside an iteration. */
  item?: unknown
  index?: number
}

export type MessageType = 'text' | 'voice' | 'image' | 'video' | 'action' | 'file'

/** Something a run says to the user that is not streamed text. */
export interface OutputMessage {
  dataType: MessageType
  content: string
  fileIds: readonly string[]
}

/** What a person answered to a waiting step. */
export interface Reply {
  text: string
  files: readonly RunFile[]
  action: string
}

/**
 * What the engine offers to a node while it runs. Everything that must survive a crash goes through it: outputs
 * and `once` are in the journal, nothing else is.
 */
export interface Step {
  readonly workspaceId: string
  readonly runId: string
  readonly nodeId: string
  /** The same in every attempt and after a crash: send it along with whatever has an effect outside. */
  readonly idempotencyKey: string
  /** From 1. */
  readonly attempt: number
  /** Aborted when the time is up or the run is stopped; its reason says why. */
  readonly signal: AbortSignal
  readonly system: SystemValues
  /** The values of `memory.…`. */
  readonly memory: Readonly<Record<string, unknown>>
  /** Set when the step waited and the answer has come; `state` is what it handed over when it began to wait. */
  readonly resumed: { readonly state: unknown; readonly reply: Reply } | undefined
  /** A template with its references replaced, in one pass. */
  text(template: string): string
  /** The value itself where the template is nothing but one reference, otherwise its text. */
  value(template: string): unknown
  /** A tree of JSON in which every text is a template; what is nothing but one reference keeps its type. */
  fill(tree: unknown): unknown
  /** The next piece of the outputs that the kind streams. */
  write(piece: string): void
  /** What was written so far does not count: another attempt begins from nothing. */
  restart(): void
  /**
   * Does something once in the life of the run: its result (JSON) is in the journal before this resolves, and another
   * attempt, or another process after a crash, gets it from there. `name` is unique within the step.
   */
  once<Result>(name: string, work: () => Promise<Result>): Promise<Result>
  /** Counts tokens; may be called several times. Call it inside the work of `once`, so that nothing counts twice. */
  spend(usage: TokenUsage & { model: string }): void
  /** Says something at once that is not streamed text, such as an action. */
  sendMessage(message: OutputMessage): void
  /** Runs another stored workflow inside this step; its steps are in the same journal. */
  runWorkflow(call: ChildCall): Promise<ChildResult>
}

export interface ChildCall {
  /** Tells several calls of one step apart. */
  name: string
  workflowId: string
  inputs: Readonly<Record<string, unknown>>
  item?: unknown
  index?: number
  /** Whether its outputs speak to the user; inside tools and iterations they do not. */
  sendsMessages: boolean
}

/** `waiting`: the child asks the user; return `waitForChildren` and run it again after the answer. */
export type ChildResult = { status: 'succeeded'; outputs: Outputs; answer: string } | { status: 'waiting' }

export type Outcome =
  | {
      readonly outputs: Outputs
      /** For a kind that branches: the case it chose. */
      readonly case?: string
      /** New values of `memory.…`. */
      readonly assign?: Readonly<Record<string, unknown>>
    }
  | { readonly wait: Wait }

/** The step asks the user and is run again, with `resumed`, when the answer comes. */
export interface Wait {
  readonly question: string
  readonly options?: readonly string[]
  /** JSON that the step gets back. */
  readonly state: unknown
}

/** Returned by a step whose child waits: it asks nothing itself. */
export const waitForChildren: Outcome = { wait: { question: '', state: null } }

interface FailureDetails {
  /** Whether the same step may succeed later; then it is tried again as often as its rule says. */
  retryable?: boolean
  retryAfterMilliseconds?: number | undefined
  cause?: unknown
}

/** A step that could not do its work. The message tells a person what to do, and never holds a secret. */
export class StepFailure extends Error {
  readonly reason: Reason
  readonly retryable: boolean
  readonly retryAfterMilliseconds: number | undefined

  constructor(reason: Reason, message: string, details: FailureDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'StepFailure'
    this.reason = reason
    this.retryable = details.retryable ?? false
    this.retryAfterMilliseconds = details.retryAfterMilliseconds
  }
}
