import { defineWords } from '../../ui/words.ts'
import { diffGraphs } from '../model/diff-graphs.ts'
import type { Graph } from '../model/graph.ts'

const useWords = defineWords(
  {
    mine: (nodes: number, edges: number) =>
      `You changed ${count(nodes, 'node')} and ${count(edges, 'connection')}.`,
    theirs: (nodes: number, edges: number) =>
      `The other user changed ${count(nodes, 'node')} and ${count(edges, 'connection')}.`,
  },
  {
    mine: (nodes: number, edges: number) => `你修改了 ${nodes} 个节点、${edges} 条连线。`,
    theirs: (nodes: number, edges: number) => `对方修改了 ${nodes} 个节点、${edges} 条连线。`,
  },
)

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`

/** How much each side changed since both began. */
export function MergeSummary({ base, mine, theirs }: { base: Graph; mine: Graph; theirs: Graph }) {
  const words = useWords()
  const [own, other] = [diffGraphs(base, mine), diffGraphs(base, theirs)]
  return (
    <p className="soft merge-summary">
      {words.mine(own.nodes.length, own.edges.length)} {words.theirs(other.nodes.length, other.edges.length)}
    </p>
  )
}
