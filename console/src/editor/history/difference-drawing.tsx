import { useMemo } from 'react'
import { cutText } from '../../ui/cut-text.ts'
import { defineWords } from '../../ui/words.ts'
import { cardSize } from '../canvas/card-size.ts'
import type { GraphDifference } from '../model/diff-graphs.ts'
import { edgeKey, type Graph, type Point } from '../model/graph.ts'
import { layOut } from '../model/lay-out.ts'
import { useNodeTitle } from '../panels/use-node-title.ts'
import { useEditorState } from '../workflow-editor.ts'

const useWords = defineWords(
  {
    drawing: (added: number, changed: number, removed: number) =>
      `Workflow graph: ${added} nodes added, ${changed} changed, ${removed} removed`,
  },
  {
    drawing: (added: number, changed: number, removed: number) =>
      `流程图：新增 ${added} 个节点，修改 ${changed} 个，删除 ${removed} 个`,
  },
)

const size = cardSize
const margin = 24
const signs = { added: '+ ', removed: '− ', changed: '~ ' } as const
const longest = 20

interface DifferenceDrawingProps {
  before: Graph
  after: Graph
  difference: GraphDifference
}

/** Both graphs in one small drawing: added, changed and removed nodes. */
export function DifferenceDrawing({ before, after, difference }: DifferenceDrawingProps) {
  const words = useWords()
  const titleOf = useNodeTitle()
  const { positions } = useEditorState()
  const both = useMemo(() => union(before, after), [before, after])
  const places = useMemo(() => layOut(both, positions, () => size), [both, positions])
  const changes = new Map(difference.nodes.map(({ id, change }) => [id, change]))
  const edgeChanges = new Map(difference.edges.map(({ key, change }) => [key, change]))
  const count = (change: string): number => difference.nodes.filter(each => each.change === change).length
  if (both.nodes.length === 0) return null
  return (
    <svg
      className="difference-drawing"
      viewBox={boxAround(both.nodes.map(({ id }) => places[id]!))}
      role="img"
      aria-label={words.drawing(count('added'), count('changed'), count('removed'))}
    >
      {both.edges.map(edge => {
        const [from, to] = [places[edge.source.cell], places[edge.target.cell]]
        if (!from || !to) return null
        const key = edgeKey(edge)
        return (
          <path key={key} className={`difference-wire ${edgeChanges.get(key) ?? ''}`} d={curve(from, to)} />
        )
      })}
      {both.nodes.map(node => {
        const { x, y } = places[node.id]!
        const change = changes.get(node.id)
        const title = `${change ? signs[change] : ''}${titleOf(node)}`
        return (
          <g key={node.id} className={`box ${change ?? ''}`} transform={`translate(${x} ${y})`}>
            <title>{title}</title>
            <rect width={size.width} height={size.height} rx={10} />
            <text x={14} y={size.height / 2 + 6}>
              {title.length > longest ? `${cutText(title, longest - 1)}…` : title}
            </text>
          </g>
        )
      })}
    </svg>
  )
}

/** All nodes and edges of both graphs, in their later version. */
function union(before: Graph, after: Graph): Graph {
  const ids = new Set(after.nodes.map(({ id }) => id))
  const keys = new Set(after.edges.map(edgeKey))
  return {
    nodes: [...after.nodes, ...before.nodes.filter(({ id }) => !ids.has(id))],
    edges: [...after.edges, ...before.edges.filter(edge => !keys.has(edgeKey(edge)))],
  }
}

function boxAround(places: readonly Point[]): string {
  // No spread: a large graph may exceed the maximum number of arguments.
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { x, y } of places) {
    left = Math.min(left, x)
    top = Math.min(top, y)
    right = Math.max(right, x + size.width)
    bottom = Math.max(bottom, y + size.height)
  }
  return `${left - margin} ${top - margin} ${right - left + 2 * margin} ${bottom - top + 2 * margin}`
}

function curve(from: Point, to: Point): string {
  const [x1, y1] = [from.x + size.width, from.y + size.height / 2]
  const [x2, y2] = [to.x, to.y + size.height / 2]
  const bend = Math.max(40, Math.abs(x2 - x1) / 2)
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
}
