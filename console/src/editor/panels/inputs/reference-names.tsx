import { defineWords } from '../../../ui/words.ts'
import { nodeOfPath } from '../../model/rewrite-references.ts'
import { useEditorState, useWorkflowEditor } from '../../workflow-editor.ts'
import { useNodeTitle } from '../use-node-title.ts'
import { piecesOf } from './reference-pieces.ts'

const useWords = defineWords(
  { refers: 'References', system: 'System', memory: 'Memory', unknown: 'unknown' },
  { refers: '引用', system: '系统', memory: '记忆', unknown: '未知' },
)

interface Name {
  reference: string
  title: string
  output: string
  isKnown: boolean
}

/** The references of a text by the names of their nodes, which say more than ids. */
export function ReferenceNames({ text }: { text: string }) {
  const words = useWords()
  const titleOf = useNodeTitle()
  const { kinds } = useWorkflowEditor()
  const { graph } = useEditorState()
  if (!text.includes('{{#')) return null
  const nodes = new Map(graph.nodes.map(node => [node.id, node]))
  const references = new Set(piecesOf(text).flatMap(({ reference }) => reference ?? []))
  const nameOf = (reference: string): Name => {
    const id = nodeOfPath(reference, nodes)
    const node = id === undefined ? undefined : nodes.get(id)
    if (node)
      return { reference, title: titleOf(node), output: reference.slice(node.id.length + 1), isKnown: true }
    const [first = '', second = '', ...rest] = reference.split('.')
    const output = [second, ...rest].join('.')
    if (first === 'memory' && second !== '') return { reference, title: words.memory, output, isKnown: true }
    const isSystem = first === 'sys' && kinds.system.some(({ name }) => name === second)
    if (isSystem) return { reference, title: words.system, output, isKnown: true }
    return { reference, title: words.unknown, output: reference, isKnown: false }
  }
  const names = [...references].map(nameOf)
  if (names.length === 0) return null
  return (
    <ul className="reference-names" aria-label={words.refers}>
      {names.map(({ reference, title, output, isKnown }) => (
        <li key={reference} title={`{{#${reference}#}}`} data-unknown={!isKnown || undefined}>
          {title} <b>{output}</b>
        </li>
      ))}
    </ul>
  )
}
