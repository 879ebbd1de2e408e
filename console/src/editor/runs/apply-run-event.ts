import {
  emptyNode,
  isOver,
  type NodeStatus,
  type NodeView,
  type RunMessage,
  type RunProblem,
  type RunStatus,
  type RunView,
} from './run-view.ts'

export interface RunEvent {
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Applies an event to a run. An event that was applied before changes nothing, so a stream may be read again. */
export function watchRun(view: RunView, { event, data }: RunEvent): RunView {
  const number = Number(data['seq'])
  if (!(number > view.lastEvent)) return view
  const change = Object.hasOwn(changes, event) ? changes[event] : undefined
  const seen = { ...view, lastEvent: number, runId: view.runId || text(data['run_id']) }
  return change ? change(seen, data) : seen
}

type Fields = RunEvent['data']

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const count = (value: unknown): number => (typeof value === 'number' ? value : 0)
const timeOf = (fields: Fields): number | undefined => {
  const at = Date.parse(text(fields['at']))
  return Number.isNaN(at) ? undefined : at
}

const changes: Readonly<Record<string, (view: RunView, fields: Fields) => RunView>> = {
  'run.started': (view, fields) => {
    const inputs = fields['inputs'] as Fields | undefined
    return {
      ...view,
      status: 'running',
      startedAt: timeOf(fields),
      inputs,
      messages: [...view.messages, ...asked(text(inputs?.['query']), 'query')],
    }
  },
  'node.started': (view, fields) =>
    withNode({ ...view, status: 'running', waiting: undefined }, fields, node => ({
      kind: text(fields['kind']) || node.kind,
      title: text(fields['title']) || node.title,
      status: 'running',
      // A waiting node continues from its start time.
      startedAt: node.startedAt ?? timeOf(fields),
      elapsedMs: undefined,
      error: undefined,
    })),
  'node.delta': (view, fields) =>
    fields['message_id'] === undefined ? wrote(view, fields) : spoke(view, fields),
  'node.progress': (view, fields) => withNode(view, fields, () => ({ progress: progressOf(fields) })),
  'node.finished': (view, fields) => replied(ended(view, fields), fields),
  'node.failed': (view, fields) =>
    withNode(view, fields, node => ({
      status: fields['will_retry'] === true ? 'running' : 'failed',
      attempts: count(fields['attempt']) + (fields['will_retry'] === true ? 1 : 0),
      error: problemOf(fields),
      elapsedMs: fields['will_retry'] === true ? undefined : since(node, fields),
    })),
  'node.skipped': (view, fields) =>
    withNode(view, fields, node => ({
      kind: text(fields['kind']) || node.kind,
      title: text(fields['title']) || node.title,
      status: 'skipped',
    })),
  message: (view, fields) =>
    withMessage(view, text(fields['message_id']), () => ({
      text: text(fields['content']),
      dataType: text(fields['data_type']) || 'text',
      files: Array.isArray(fields['file_list']) ? (fields['file_list'] as string[]) : [],
      isComplete: true,
    })),
  'run.waiting': (view, fields) => ({
    ...settleNodes(view, 'waiting', fields),
    status: 'waiting',
    waiting: {
      path: text(fields['node_id']),
      question: text(fields['question']),
      options: Array.isArray(fields['options']) ? (fields['options'] as string[]) : [],
    },
  }),
  error: (view, fields) => ({ ...view, error: problemOf(fields) }),
  'run.finished': (view, fields) => ({
    ...settleNodes(view, 'stopped', fields),
    status: text(fields['status']) as RunStatus,
    waiting: undefined,
    elapsedMs: count(fields['elapsed_ms']),
    tokens: count((fields['usage'] as Fields | undefined)?.['total_tokens']),
    outputs: fields['outputs'],
    error: fields['error'] ? problemOf(fields['error'] as Fields) : undefined,
    messages: view.messages.map(each => (each.isComplete ? each : { ...each, isComplete: true })),
  }),
}

const problemOf = (fields: Fields): RunProblem => ({
  reason: text(fields['reason']),
  message: text(fields['message']),
  path: typeof fields['node_id'] === 'string' ? fields['node_id'] : undefined,
})

const since = ({ startedAt }: NodeView, fields: Fields): number | undefined => {
  const at = timeOf(fields)
  return at === undefined || startedAt === undefined ? undefined : Math.max(0, at - startedAt)
}

function withNode(view: RunView, fields: Fields, change: (node: NodeView) => Partial<NodeView>): RunView {
  const path = text(fields['node_id'])
  const at = view.nodes.findIndex(node => node.path === path)
  const node = view.nodes[at] ?? emptyNode(path)
  const changed = { ...node, ...change(node) }
  return { ...view, nodes: at === -1 ? [...view.nodes, changed] : view.nodes.with(at, changed) }
}

function ended(view: RunView, fields: Fields): RunView {
  const usage = fields['usage'] as Fields | undefined
  const tokens = count(usage?.['prompt_tokens']) + count(usage?.['completion_tokens'])
  const changed = withNode(view, fields, node => {
    const status = text(fields['status']) as NodeStatus
    return {
      status,
      outputs: fields['outputs'],
      elapsedMs: count(fields['elapsed_ms']),
      tokens,
      // The error of an earlier attempt does not count for a node that succeeded in the end.
      error: status === 'succeeded' ? undefined : node.error,
    }
  })
  return { ...changed, tokens: view.tokens + tokens }
}

const progressOf = (fields: Fields): string => {
  const { progress, total, message } = fields
  const share = total === undefined ? '' : `${count(progress)} / ${count(total)}`
  return [share, text(message)].filter(Boolean).join(' · ') || String(count(progress))
}

const wrote = (view: RunView, fields: Fields): RunView =>
  withNode(view, fields, node => ({
    text: (fields['reset'] === true ? '' : node.text) + text(fields['text']),
  }))

const spoke = (view: RunView, fields: Fields): RunView =>
  withMessage(view, text(fields['message_id']), message => ({
    text: (fields['reset'] === true ? '' : message.text) + text(fields['text']),
    isComplete: false,
  }))

function withMessage(
  view: RunView,
  id: string,
  change: (message: RunMessage) => Partial<RunMessage>,
): RunView {
  const at = view.messages.findIndex(each => each.id === id)
  const fresh: RunMessage = { id, by: 'run', text: '', dataType: 'text', files: [], isComplete: false }
  const message = view.messages[at] ?? fresh
  const changed = { ...message, ...change(message) }
  return { ...view, messages: at === -1 ? [...view.messages, changed] : view.messages.with(at, changed) }
}

const asked = (query: string, id: string): RunMessage[] =>
  query === '' ? [] : [{ id, by: 'user', text: query, dataType: 'text', files: [], isComplete: true }]

/** Only the node that asked reports the reply; the sender already shows it. */
function replied(view: RunView, fields: Fields): RunView {
  const node = view.nodes.find(({ path }) => path === fields['node_id'])
  const answer = text((fields['outputs'] as Fields | undefined)?.['answer'])
  const isKnown = view.messages.findLast(({ isComplete }) => isComplete)?.by === 'user'
  if (node?.kind !== 'question' || answer === '' || isKnown) return view
  return { ...view, messages: [...view.messages, ...asked(answer, `reply ${view.lastEvent}`)] }
}

/** When a run ends or waits, its active nodes do too. */
function settleNodes(view: RunView, status: 'waiting' | 'stopped', fields: Fields): RunView {
  const nodes = view.nodes.map(node => {
    if (node.status !== 'running' && (node.status !== 'waiting' || status === 'waiting')) return node
    return { ...node, status, elapsedMs: status === 'waiting' ? undefined : since(node, fields) }
  })
  return { ...view, nodes }
}

/** The user has answered the run's question, and the server accepted it. */
export const withReply = (view: RunView, answer: string): RunView => ({
  ...view,
  status: 'running',
  waiting: undefined,
  messages: [...view.messages, ...asked(answer, `reply ${view.lastEvent}`)],
})

export const withStatus = (view: RunView, status: RunStatus): RunView =>
  isOver(view.status) ? view : { ...view, status, ...(isOver(status) && { waiting: undefined }) }
