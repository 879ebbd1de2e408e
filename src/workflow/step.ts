import type { Reason } from '../contract/error-codes.ts'

/** The outputs of a node, by name. */
export type Outputs = Readonly<Record<string, unknown>>

export interface TokenUsage {
  promptTokens: number
  completionTokens: number
}

/** Tokens, and what they cost by the prices of the models; 0 without prices. */
export interface PricedUsage extends TokenUsage {
  cost: number
}

/** A file, as references see it. */
export interface RunFile {
  file_id: string
  name: string
  mime_type: string
  size: number
  /** What was said in a recording, which is also in the message. */
  transcript?: string
}

export interface HistoryEntry {
  role: 'user' | 'assistant'
  content: string
  /** The files that the user sent, in recent messages; `content` names the files of all messages. */
  files?: readonly RunFile[]
}

/** The values of `{{#sys.…#}}`, under their wire names. */
export interface SystemValues {
  query: string
  /** The files of the message, then those of recent turns, newest first. `inputs.files` are those of the message. */
  files: readonly RunFile[]
  action: string
  conversation_id: string
  user_id: string
  agent_id: string
  run_id: string
  /** When the run started, in ISO 8601. */
  time: string
  /** Earlier messages of this conversation, oldest first. */
  history: readonly HistoryEntry[]
  /** All inputs of the run, including the query and the files. */
  inputs: Readonly<Record<string, unknown>>
  /** The model for nodes that name none; empty when none is configured. */
  model: string
  /** Inside an iteration. */
  item?: unknown
  index?: number
}

export type MessageType = 'text' | 'voice' | 'image' | 'video' | 'action' | 'file'

export interface OutputMessage {
  dataType: MessageType
  content: string
  fileIds: readonly string[]
}

/** The user's answer to a waiting step. */
export interface Reply {
  text: string
  files: readonly RunFile[]
  action: string
}

/** How far the work of a step is: `progress` of `total`, if that is known. */
export interface StepProgress {
  progress: number
  total?: number | undefined
  message?: string | undefined
}

/** A call of a tool, when it begins and when it has ended. */
export interface ToolReport {
  /** Unique within the step. */
  call: string
  tool: string
  status: 'running' | 'done' | 'failed'
  arguments?: unknown
  result?: string
  elapsed_ms?: number
}

/** Whatever must survive a crash goes through it: only outputs and the results of `once` are in the journal. */
export interface Step {
  readonly workspaceId: string
  readonly runId: string
  readonly nodeId: string
  /** The same in every attempt and after a crash: send it with every request that has a side effect. */
  readonly idempotencyKey: string
  /** From 1. */
  readonly attempt: number
  /** Aborted on timeout or when the run is stopped; its reason is the failure. */
  readonly signal: AbortSignal
  /** Starts the timeout of the attempt, for a kind that waits for its turn first. */
  startTimeout(): void
  /** Notifies subscribers that the work goes on, at most once a second, and starts the timeout again. */
  reportProgress(progress: StepProgress): void
  /** Notifies subscribers of a call of a tool. */
  reportTool(report: ToolReport): void
  readonly system: SystemValues
  /** The values of `memory.…`. */
  readonly memory: Readonly<Record<string, unknown>>
  /** Set when the step waited and was answered; `state` is what it returned when it started to wait. */
  readonly resumed: { readonly state: unknown; readonly reply: Reply } | undefined
  /** A template with its references replaced, in one pass. */
  text(template: string): string
  /** The value itself where the template is a single reference, otherwise its text. */
  value(template: string): unknown
  /** A single reference keeps the type of its value. A missing value is undefined, or an empty text inside a tree. */
  fill(tree: unknown): unknown
  /** Like `fill`, with other values of `memory.…`. */
  fillWith(memory: Readonly<Record<string, unknown>>, tree: unknown): unknown
  /** Fills templates whose result is sent to another server: only there `{{#secret.name#}}` becomes the secret. */
  readonly withSecrets: Pick<Step, 'text' | 'value' | 'fill'>
  /** Loads the secrets that a tree from outside the graph refers to, so that `withSecrets` can fill it. */
  loadSecrets(tree: unknown): Promise<void>
  /** Streams the next piece of the outputs in `streams` of the kind. */
  write(piece: string): void
  /** Discards what was streamed so far: another attempt starts over. */
  restart(): void
  /**
   * Does something once per run: its result (JSON) is in the journal before this resolves, and another attempt, or
   * another process after a crash, reads it from there. `name` is unique within the step.
   */
  once<Result>(name: string, work: () => Promise<Result>): Promise<Result>
  /** Fails if running the workflow that many times may take more steps than this run has left. */
  expectWorkflows(workflowId: string, times: number): Promise<void>
  /** The outputs that a workflow may have; undefined when any name is possible. */
  outputsOfWorkflow(workflowId: string): Promise<ReadonlySet<string> | undefined>
  /** Counts tokens; may be called several times. Call it inside `once`, so that nothing is counted twice. */
  spend(usage: TokenUsage & { model: string; cost?: number }): void
  /** Sends a complete message, such as an action. */
  sendMessage(message: OutputMessage): void
  /** Runs another stored workflow inside this step; its steps are in the same journal. */
  runWorkflow(call: ChildCall): Promise<ChildResult>
}

export interface ChildCall {
  /** Unique among the calls of one step. */
  name: string
  workflowId: string
  inputs: Readonly<Record<string, unknown>>
  item?: unknown
  index?: number
  /** Whether the user gets its messages; not inside tools and iterations. */
  sendsMessages: boolean
}

/** `waiting`: return `waitForChildren`. After the answer, the step is run again and must run the child again. */
export type ChildResult = { status: 'succeeded'; outputs: Outputs; answer: string } | { status: 'waiting' }

export type Outcome =
  | {
      readonly outputs: Outputs
      /** The chosen case of a branching kind. */
      readonly case?: string
      /** New values of `memory.…`. */
      readonly assign?: Readonly<Record<string, unknown>>
    }
  | { readonly wait: Wait }

/** The step asks the user and is run again, with `resumed`, when the answer arrives. */
export interface Wait {
  readonly question: string
  readonly options?: readonly string[]
  /** JSON that the step gets back in `resumed`. */
  readonly state: unknown
}

/** Returned by a step whose child waits: it asks nothing itself. */
export const waitForChildren: Outcome = { wait: { question: '', state: null } }

interface FailureDetails {
  /** Whether a later attempt may succeed; it is retried according to the rule of the node. */
  retryable?: boolean
  retryAfterMilliseconds?: number | undefined
  cause?: unknown
}

/** A failed step. The message tells the user what to do and never contains a secret. */
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

/** A failure that another attempt would not avoid. */
export const stepFailed = (message: string, cause?: unknown): StepFailure =>
  new StepFailure('step_failed', message, { cause })
