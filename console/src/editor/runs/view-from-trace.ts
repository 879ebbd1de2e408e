import {
  emptyNode,
  isSettled,
  type NodeRecord,
  type NodeView,
  type RunDetails,
  type RunMessage,
  type RunProblem,
  type RunView,
} from './run-view.ts'

type Problem = { reason: string; message: string; node_id: string | null } | null

const problemOf = (error: Problem): RunProblem | undefined =>
  error ? { reason: error.reason, message: error.message, path: error.node_id ?? undefined } : undefined

const nodeOf = (record: NodeRecord): NodeView => ({
  ...emptyNode(record.path),
  kind: record.kind,
  title: record.title,
  status: record.status,
  startedAt: Date.parse(record.started_at),
  elapsedMs: record.elapsed_ms ?? undefined,
  tokens: record.tokens.total_tokens,
  inputs: record.inputs,
  outputs: record.outputs,
  error: record.status === 'succeeded' ? undefined : problemOf(record.error),
  attempts: record.attempts,
})

const spoken = (id: string, by: RunMessage['by'], text: string): RunMessage[] =>
  text === '' ? [] : [{ id, by, text, dataType: 'text', files: [], isComplete: true }]

/** The view of a run from its trace. */
export function viewOfDetails(details: RunDetails): RunView {
  const { waiting, inputs } = details
  const query = (inputs as { query?: unknown } | null)?.query
  return {
    runId: details.run_id,
    lastEvent: 0,
    status: details.status,
    messages: [
      ...spoken('query', 'user', typeof query === 'string' ? query : ''),
      ...spoken('answer', 'run', details.answer),
      ...spoken('question', 'run', waiting?.question ?? ''),
    ],
    nodes: details.nodes.map(nodeOf),
    waiting: waiting
      ? { path: waiting.node_id, question: waiting.question, options: waiting.options }
      : undefined,
    startedAt: Date.parse(details.created_at),
    elapsedMs: details.elapsed_ms,
    tokens: details.usage.total_tokens,
    inputs,
    outputs: details.outputs,
    error: problemOf(details.error),
  }
}

/**
 * Adds what only the trace contains: inputs, and outputs too large for an event. Streamed messages are kept,
 * and during the run its events are newer.
 */
export function withDetails(view: RunView, details: RunDetails): RunView {
  const known = viewOfDetails(details)
  const traced = new Map(known.nodes.map(node => [node.path, node]))
  const isFinal = isSettled(view.status) && view.status === details.status
  const nodes = view.nodes.map(node => {
    const found = traced.get(node.path)
    if (!found) return node
    if (isFinal) return { ...found, text: node.text }
    return { ...node, inputs: found.inputs ?? node.inputs, outputs: node.outputs ?? found.outputs }
  })
  if (!isFinal) return { ...view, nodes }
  const heard = new Set(nodes.map(({ path }) => path))
  return {
    ...known,
    lastEvent: view.lastEvent,
    messages: view.messages.length > 0 ? view.messages : known.messages,
    nodes: [...nodes, ...known.nodes.filter(({ path }) => !heard.has(path))],
  }
}
