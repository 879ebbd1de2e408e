import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { ApiFailure } from '../../api/api-failure.ts'
import { call } from '../../api/call.ts'
import type { CallData } from '../../api/operations.ts'
import type { EditorStore } from '../model/editor-store.ts'
import { edgeKey, type Graph } from '../model/graph.ts'
import type { CheckFinding, Checks } from '../workflow-editor.ts'
import { pointerBelow, segmentsOf } from './fits-shape.ts'

const rest = 300
/** Grows with every consecutive failure. */
const pauseAfter = (failures: number): number => Math.min(30_000, 1000 * 2 ** failures)

/** Requests that the server rejects are rejected again; saving shows the reason. */
const isTransient = (error: unknown): boolean =>
  !(error instanceof ApiFailure) ||
  error.reason === 'unreachable' ||
  error.status >= 500 ||
  error.status === 429

interface Answered {
  graph: Graph | undefined
  checks: Omit<Checks, 'isPending'>
}

/** Checks the graph on the server a moment after each change. */
export function useChecks(store: EditorStore): Checks {
  const graph = useSyncExternalStore(store.subscribe, () => store.state().graph)
  const [answered, setAnswered] = useState<Answered>({
    graph: undefined,
    checks: { runnable: false, findings: [], outline: {} },
  })
  const isFirst = useRef(true)
  useEffect(() => {
    const aborting = new AbortController()
    let timer: ReturnType<typeof setTimeout>
    let failures = 0
    const check = async (): Promise<void> => {
      isFirst.current = false
      try {
        const body = { workflow: graph, outline: true }
        const answer = await call('POST /api/v1/workflow/check', { body, signal: aborting.signal })
        const { runnable, outline = {} } = answer
        setAnswered({ graph, checks: { runnable, findings: readFindings(answer, graph), outline } })
      } catch (error) {
        if (aborting.signal.aborted) return
        if (!isTransient(error)) return
        timer = setTimeout(check, pauseAfter(failures))
        failures += 1
      }
    }
    // There is no typing to wait for when a workflow is opened.
    timer = setTimeout(check, isFirst.current ? 0 : rest)
    return () => {
      clearTimeout(timer)
      aborting.abort()
    }
  }, [graph])
  return { ...answered.checks, isPending: answered.graph !== graph }
}

type CheckData = CallData<'POST /api/v1/workflow/check'>

/**
 * The findings of a response, each with its node. Pointers count the nodes of the graph that was sent, which
 * may have changed since, so they are converted to ids immediately.
 */
function readFindings(answer: CheckData, sent: Graph): CheckFinding[] {
  const place = (path: string): Pick<CheckFinding, 'nodeId' | 'edge' | 'field'> => {
    const [part, index, member, field] = segmentsInGraph(path)
    const edge = part === 'edges' ? sent.edges[Number(index)] : undefined
    if (edge) return { nodeId: edge.source.cell, edge: edgeKey(edge), field: undefined }
    const nodeId = part === 'nodes' ? sent.nodes[Number(index)]?.id : undefined
    return { nodeId, field: nodeId !== undefined && member === 'data' ? field : undefined }
  }
  return [
    ...answer.errors.map(({ path, message }) => ({
      path,
      message,
      severity: 'error' as const,
      ...place(path),
    })),
    ...answer.warnings.map(({ path, message, rule, blocking }) => ({
      path,
      message,
      rule,
      severity: blocking ? ('blocking' as const) : ('warning' as const),
      ...place(path),
    })),
  ]
}

/**
 * The pointer of a finding in the node's data, such as `/prompt_template`; undefined if it is about something
 * else.
 */
export function placeInData({ path }: CheckFinding): string | undefined {
  const [part, , member, ...rest] = segmentsInGraph(path)
  if (part !== 'nodes' || member !== 'data') return undefined
  return rest.reduce(pointerBelow, '')
}

/** In a request the graph is below `workflow`. */
function segmentsInGraph(path: string): string[] {
  const segments = segmentsOf(path)
  return segments[0] === 'workflow' ? segments.slice(1) : segments
}
