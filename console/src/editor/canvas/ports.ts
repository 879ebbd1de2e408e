import type { Graph, GraphNode } from '../model/graph.ts'
import { caseTitle, errorBranch, knownCases, takesErrorBranch } from '../panels/case-edits.ts'
import type { Checks } from '../workflow-editor.ts'
import { branchRow, cardSize } from './card-size.ts'

/** Where edges leave a card: one port per branch. */
export interface Port {
  /** The branch of its edges; undefined if they are taken whenever the node has run. */
  readonly branch: string | undefined
  readonly label: string
  /** The vertical position of the port on the card. */
  readonly y: number
  readonly isError: boolean
}

export interface CardShape {
  readonly ports: readonly Port[]
  readonly height: number
}

type Outline = Checks['outline']

const shapes = new Map<string, CardShape>()

/** The same object for the same shape, so that cards can be compared by their members. */
function intern(shape: CardShape): CardShape {
  const key = JSON.stringify(shape)
  const known = shapes.get(key)
  if (known) return known
  if (shapes.size > 2000) shapes.clear()
  shapes.set(key, shape)
  return shape
}

const plain: CardShape = intern({
  ports: [{ branch: undefined, label: '', y: cardSize.height / 2, isError: false }],
  height: cardSize.height,
})
const closed: CardShape = intern({ ports: [], height: cardSize.height })

/** The ports of a node. `isAny`: an edge leaves the node that belongs to none of its branches. */
export function shapeOf(node: GraphNode, outline: Outline, errorLabel: string, isAny = false): CardShape {
  if (node.data.type === 'end') return closed
  const cases = knownCases(node, outline)
  const hasError = takesErrorBranch(node) && !cases.includes(errorBranch)
  if (cases.length === 0 && !hasError) return plain
  const error = hasError ? [{ branch: errorBranch, label: errorLabel, isError: true }] : []
  const named = cases.map(branch => ({ branch, label: caseTitle(node, branch), isError: false }))
  // A node without branches keeps its summary, and has only the error below it.
  const top = cases.length === 0 ? cardSize.height - branchRow.bottom : branchRow.top
  const rows = [...named, ...error].map((row, index) => ({
    ...row,
    y: top + branchRow.height * (index + 0.5),
  }))
  const whole: Port = {
    branch: undefined,
    label: '',
    y: cases.length === 0 ? cardSize.height / 2 : branchRow.top / 2,
    isError: false,
  }
  const height = Math.max(cardSize.height, top + branchRow.height * rows.length + branchRow.bottom)
  return intern({ ports: cases.length === 0 || isAny ? [whole, ...rows] : rows, height })
}

/** The port of an edge; edges of branches that no longer exist leave from the head of the card. */
export const portOf = ({ ports }: CardShape, branch: string | undefined): Port | undefined =>
  ports.find(port => port.branch === branch) ?? ports.find(port => port.branch === undefined) ?? ports[0]

/** The port that a point beside a card is nearest to. */
export const nearestPort = ({ ports }: CardShape, y: number): Port | undefined =>
  ports.reduce<Port | undefined>(
    (best, port) => (best && Math.abs(best.y - y) <= Math.abs(port.y - y) ? best : port),
    undefined,
  )

/** The sizes of the cards of a graph, for layouts. */
export function sizesOf(
  graph: Graph,
  outline: Outline = {},
): (id: string) => { width: number; height: number } {
  const nodes = new Map(graph.nodes.map(node => [node.id, node]))
  return id => {
    const node = nodes.get(id)
    return node ? { width: cardSize.width, height: shapeOf(node, outline, '').height } : cardSize
  }
}
