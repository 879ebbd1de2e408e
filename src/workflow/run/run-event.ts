/** Every event of a run, with what it tells. The reference is printed from this table. */
export const runEventNames = {
  'run.started': 'The run has begun: `workflow_id`, `version`, `inputs`.',
  'node.started': 'A node has begun: `node_id`, `kind`, `title`, `attempt`.',
  'node.delta':
    'A piece of text: `node_id`, `text`; with `message_id` when it is said to the user. With `reset` true, what came before from this node does not count.',
  'node.finished':
    'A node is done: `node_id`, `status`, `outputs` (left out when large), `elapsed_ms`, `usage`.',
  'node.failed': 'An attempt of a node failed: `node_id`, `reason`, `message`, `attempt`, `will_retry`.',
  'node.skipped': 'A node is not needed: `node_id`.',
  message:
    'A whole message to the user: `message_id`, `node_id`, `data_type`, `content`, `file_list`, `timestamp`.',
  'run.waiting': 'The run asks the user: `node_id`, `question`, `options`.',
  'run.finished': 'The run has ended: `status`, `answer`, `outputs`, `usage`, `elapsed_ms`, `error`.',
  error: 'Why the run failed: `reason`, `message`, `node_id`.',
} as const

export type RunEventName = keyof typeof runEventNames

/** `line` is the JSON that is sent and stored: it holds `run_id`, `seq`, `at` and the fields of the event. */
export interface RunEvent {
  readonly seq: number
  readonly event: RunEventName
  readonly line: string
  /** The fields, where the event was made in this process a moment ago; read `line` otherwise. */
  readonly fields?: Readonly<Record<string, unknown>>
}
