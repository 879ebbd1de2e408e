import { useMemo } from 'react'
import { defineWords } from '../../../ui/words.ts'
import { completions } from '../../model/references.ts'
import { useEditorState, useWorkflowEditor } from '../../workflow-editor.ts'
import { useSay } from '../node-form.ts'
import { useNodeTitle } from '../use-node-title.ts'

/** One thing that can be referred to, in words. */
export interface Offer {
  reference: string
  title: string
  output: string
  about: string
}

const useWords = defineWords(
  { system: 'System', any: 'any output: type its name' },
  { system: '系统', any: '任意输出：请输入名称' },
)

const mostOffers = 60

/** What can be referred to in a text of the node and fits what was typed; nothing while nobody asks. */
export function useOffers(nodeId: string, typed: string | undefined): readonly Offer[] {
  const words = useWords()
  const say = useSay()
  const titleOf = useNodeTitle()
  const { kinds, checks } = useWorkflowEditor()
  const { graph } = useEditorState()
  const isAsked = typed !== undefined
  const all = useMemo((): Offer[] => {
    if (!isAsked) return []
    const kindOf = (id: string): string => {
      const node = graph.nodes.find(each => each.id === id)
      const kind = kinds.kinds.find(each => each.kind === node?.data.type)
      return `${kind ? say(kind.title) : (node?.data.type ?? '')} · ${id}`
    }
    return completions(graph, checks.outline, nodeId, kinds.system, titleOf).map(offer => {
      const system = offer.nodeId === 'sys' && kinds.system.find(({ name }) => name === offer.name)
      return {
        reference: offer.reference,
        title: offer.nodeId === 'sys' ? words.system : offer.title,
        output: offer.name || '…',
        about: offer.name === '' ? words.any : system ? say(system.about) : kindOf(offer.nodeId),
      }
    })
  }, [isAsked, graph, checks.outline, nodeId, kinds, titleOf, say, words])
  if (typed === undefined) return all
  const wanted = typed.trim().toLowerCase()
  const fits = (offer: Offer): boolean =>
    [offer.reference, `${offer.title}.${offer.output}`, `${offer.title} ${offer.output}`].some(text =>
      text.toLowerCase().includes(wanted),
    )
  return all.filter(fits).slice(0, mostOffers)
}
