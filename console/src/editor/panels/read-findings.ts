import type { CallData } from '../../api/operations.ts'
import type { Graph } from '../model/graph.ts'
import type { CheckFinding } from '../workflow-editor.ts'
import { pointerBelow, segmentsOf } from './pointer.ts'

type CheckData = CallData<'POST /api/v1/workflow/check'>

/**
 * The findings of an answer, each with the node it is about. Pointers count the nodes of the graph that was sent; by
 * the time of the answer it may have others, so the place becomes an id at once.
 */
export function readFindings(answer: CheckData, sent: Graph): CheckFinding[] {
  const place = (path: string): Pick<CheckFinding, 'nodeId' | 'field'> => {
    const [part, index, member, field] = segmentsInGraph(path)
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

/** Where in the node's data a finding is: `/prompt_template`; undefined when it is about something else. */
export function placeInData({ path }: CheckFinding): string | undefined {
  const [part, , member, ...rest] = segmentsInGraph(path)
  if (part !== 'nodes' || member !== 'data') return undefined
  return rest.reduce(pointerBelow, '')
}

/** In a request the graph stands below `workflow`. */
function segmentsInGraph(path: string): string[] {
  const segments = segmentsOf(path)
  return segments[0] === 'workflow' ? segments.slice(1) : segments
}
