import { type CSSProperties, useEffect, useMemo, useRef } from 'react'
import { createPortal } from 'react-dom'
import { useAll } from '../../../api/queries.ts'
import { defineWords } from '../../../ui/words.ts'
import { type Completion, completions, type Head } from '../../model/references.ts'
import { useEditorState, useWorkflowEditor } from '../../workflow-editor.ts'
import { useLocalized } from '../node-form.ts'
import { useNodeTitle } from '../use-node-title.ts'

const useWords = defineWords(
  {
    offers: 'References',
    none: 'No matches. You can only reference nodes that run before this one.',
  },
  { offers: '可引用的内容', none: '没有匹配项。只能引用在此节点之前运行的节点。' },
)

interface CompletionListProps {
  id: string
  offers: readonly Offer[]
  active: number
  /** The caret's position on the screen. */
  at: { left: number; top: number; bottom: number }
  onChoose(offer: Offer): void
  onPoint(index: number): void
}

const height = 288
const width = 340

/** The completion list beside the caret. The focus stays in the text. */
export function CompletionList({ id, offers, active, at, onChoose, onPoint }: CompletionListProps) {
  const words = useWords()
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another active one is the reason to scroll
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [active])
  const isAbove = at.bottom + height > window.innerHeight && at.top > height
  const place: CSSProperties = {
    left: Math.max(8, Math.min(at.left, window.innerWidth - width - 8)),
    ...(isAbove ? { bottom: window.innerHeight - at.top + 4 } : { top: at.bottom + 4 }),
    width,
    maxHeight: height,
  }
  return createPortal(
    <div className="completions" style={place} ref={list}>
      <div role="listbox" id={id} aria-label={words.offers}>
        {offers.map((offer, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the text keeps the focus and names the active option
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the text's
          <div
            key={offer.reference}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            className="completion"
            // Before a click would move the focus.
            onMouseDown={event => event.preventDefault()}
            onMouseMove={() => onPoint(index)}
            onClick={() => onChoose(offer)}
          >
            <span className="completion-title">
              {offer.title} <span className="completion-output">{offer.output}</span>
            </span>
            <span className="completion-about">{offer.about}</span>
          </div>
        ))}
      </div>
      {offers.length === 0 && <div className="completion-none soft">{words.none}</div>}
    </div>,
    document.body,
  )
}

/** The label of an offer. */
export interface Offer {
  reference: string
  title: string
  output: string
  about: string
}

const useOffersWords = defineWords(
  {
    sys: 'System',
    env: 'Environment',
    envAbout: 'A constant of this workflow.',
    memory: 'Memory',
    memoryAbout: 'Remembered within a conversation.',
    secret: 'Secret',
    secretAbout: 'Sent with the request, never shown.',
    any: 'any output: type its name',
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
  },
)

const isHead = (text: string): text is Head => ['sys', 'memory', 'env', 'secret'].includes(text)

const maxOffers = 60
const none: readonly { name: string }[] = []

/** The offers for a text of the node that match what was typed; none while the list is closed. */
export function useOffers(nodeId: string, typed: string | undefined, hasSecrets: boolean): readonly Offer[] {
  const words = useOffersWords()
  const localize = useLocalized()
  const titleOf = useNodeTitle()
  const { kinds, checks } = useWorkflowEditor()
  const { graph } = useEditorState()
  const isAsked = typed !== undefined
  const { data: secret = none } = useAll('POST /api/v1/secret/list', { enabled: isAsked && hasSecrets })
  const all = useMemo((): Offer[] => {
    if (!isAsked) return []
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
    const named = { secret: hasSecrets ? secret : none, sys: kinds.system }
    return completions(graph, checks.outline, nodeId, named, titleOf).map(offer => ({
      reference: offer.reference,
      title: isHead(offer.nodeId) && offer.title === offer.nodeId ? words[offer.nodeId] : offer.title,
      output: offer.name || '…',
      about: aboutOf(offer),
    }))
  }, [isAsked, hasSecrets, secret, graph, checks.outline, nodeId, kinds, titleOf, localize, words])
  if (typed === undefined) return all
  const wanted = typed.trim().toLowerCase()
  const fits = (offer: Offer): boolean =>
    [offer.reference, `${offer.title}.${offer.output}`, `${offer.title} ${offer.output}`].some(text =>
      text.toLowerCase().includes(wanted),
    )
  return all.filter(fits).slice(0, maxOffers)
}
