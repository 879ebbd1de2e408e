import type { GraphNode } from '../model/graph.ts'
import { useWorkflowEditor } from '../workflow-editor.ts'
import { useLocalized } from './node-form.ts'

/** The display name of a node: its title, else the name of its kind, else its id. */
export function useNodeTitle(): (node: GraphNode) => string {
  const { kinds } = useWorkflowEditor()
  const localize = useLocalized()
  return node => {
    if (typeof node.data.title === 'string' && node.data.title.trim() !== '') return node.data.title
    const kind = kinds.kinds.find(each => each.kind === node.data.type)
    return kind ? localize(kind.title) : node.id
  }
}
