import { useMemo } from 'react'
import { useAll } from '../../../api/queries.ts'
import { useLanguage } from '../../../ui/preferences.ts'
import type { Chip, Offer, References } from '../../../ui/text-editor/references.ts'
import { defineWords } from '../../../ui/words.ts'
import { type Completion, completions, declaredNames, type Head } from '../../model/references.ts'
import { nodeOfPath } from '../../model/rewrite-references.ts'
import { useEditorState, useWorkflowEditor } from '../../workflow-editor.ts'
import { findingText } from '../finding-text.tsx'
import { useLocalized, useNodeForm, useProblems } from '../node-form.ts'
import { useNodeTitle } from '../use-node-title.ts'

const useWords = defineWords(
  {
    sys: 'System',
    env: 'Environment',
    envAbout: 'A constant of this workflow.',
    memory: 'Memory',
    memoryAbout: 'Remembered within a conversation.',
    secret: 'Secret',
    secretAbout: 'Sent with the request, never shown.',
    any: 'any output: type its name',
    local: 'This node',
    unknown: 'unknown',
    noNode: 'refers to a node that does not exist',
  },
  {
    sys: '系统',
    env: '环境变量',
    envAbout: '此工作流的常量。',
    memory: '记忆',
    memoryAbout: '在一个对话中记住的值。',
    secret: '密钥',
    secretAbout: '只随请求发送，不会显示。',
    any: '任意输出：请输入名称',
    local: '本节点',
    unknown: '未知',
    noNode: '引用的节点不存在',
  },
)

interface ReferenceOptions {
  pointer: string
  /** References that start with this name are values of the node itself. */
  local: string | undefined
  hasSecrets: boolean
  loadsSecrets: boolean
}

/** The possible references in a text of the node, and how they are shown. */
export function useReferences({ pointer, local, hasSecrets, loadsSecrets }: ReferenceOptions): References {
  const offersFor = useOffers(hasSecrets, loadsSecrets)
  const chipOf = useChips(pointer, local)
  return useMemo(() => ({ offersFor, chipOf }), [offersFor, chipOf])
}

const isHead = (text: string): text is Head => ['sys', 'memory', 'env', 'secret'].includes(text)

const maxOffers = 60
const none: readonly { name: string }[] = []

function useOffers(hasSecrets: boolean, loadsSecrets: boolean): References['offersFor'] {
  const words = useWords()
  const localize = useLocalized()
  const titleOf = useNodeTitle()
  const { nodeId } = useNodeForm()
  const { kinds, checks, store } = useWorkflowEditor()
  const { outline } = checks
  const { data: secrets = none } = useAll('POST /api/v1/secret/list', { enabled: loadsSecrets })
  return useMemo(() => {
    const allOffers = (): Offer[] => {
      const { graph } = store.state()
      const kindOf = (id: string): string => {
        const node = graph.nodes.find(each => each.id === id)
        const kind = kinds.kinds.find(each => each.kind === node?.data.type)
        return `${kind ? localize(kind.title) : (node?.data.type ?? '')} · ${id}`
      }
      const aboutOf = ({ nodeId: from, name }: Completion): string => {
        if (from === 'secret' || from === 'env' || from === 'memory') return words[`${from}About`]
        if (name === '') return words.any
        const system = from === 'sys' && kinds.system.find(each => each.name === name)
        return system ? localize(system.about) : kindOf(from)
      }
      const named = { secret: hasSecrets ? secrets : none, sys: kinds.system }
      return completions(graph, outline, nodeId, named, titleOf).map(offer => ({
        reference: offer.reference,
        title: isHead(offer.nodeId) && offer.title === offer.nodeId ? words[offer.nodeId] : offer.title,
        output: offer.name || '…',
        about: aboutOf(offer),
      }))
    }
    return typed => {
      const wanted = typed.trim().toLowerCase()
      const fits = ({ reference, title, output }: Offer): boolean =>
        [reference, `${title}.${output}`, `${title} ${output}`].some(text =>
          text.toLowerCase().includes(wanted),
        )
      return allOffers().filter(fits).slice(0, maxOffers)
    }
  }, [hasSecrets, secrets, outline, nodeId, kinds, store, titleOf, localize, words])
}

/** A reference by the name of its node, which says more than an id. */
function useChips(pointer: string, local: string | undefined): References['chipOf'] {
  const words = useWords()
  const language = useLanguage()
  const titleOf = useNodeTitle()
  const { kinds, checks } = useWorkflowEditor()
  const { graph } = useEditorState()
  const { outline } = checks
  const problems = useProblems(pointer, 'below')
  return useMemo(() => {
    const nodes = new Map(graph.nodes.map(node => [node.id, node]))
    const nameOf = (reference: string): Chip => {
      if (local !== undefined && reference.startsWith(`${local}.`))
        return { title: words.local, output: reference.slice(local.length + 1) }
      const node = nodes.get(nodeOfPath(reference, nodes) ?? '')
      if (node) return { title: titleOf(node), output: reference.slice(node.id.length + 1) }
      const [first = '', second = '', ...rest] = reference.split('.')
      const output = [second, ...rest].join('.')
      const isKnown =
        ((first === 'memory' || first === 'secret') && second !== '') ||
        (first === 'env' && declaredNames(outline, 'environment').includes(second)) ||
        (first === 'sys' && kinds.system.some(({ name }) => name === second))
      if (isKnown && isHead(first)) return { title: words[first], output }
      return { title: words.unknown, output: reference, problem: words.noNode }
    }
    return reference => {
      // A finding of the server is more precise than what is known here.
      const found = problems.find(
        ({ message, severity }) => severity !== 'warning' && message.startsWith(`{{#${reference}#}}`),
      )
      const chip = nameOf(reference)
      return found ? { ...chip, problem: findingText(language, found) } : chip
    }
  }, [graph, outline, kinds, problems, local, language, titleOf, words])
}
