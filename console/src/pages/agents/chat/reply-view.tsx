import { lazy, memo, Suspense } from 'react'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { defineWords } from '../../../ui/words.ts'
import type { ChatMessage, Rating } from './chat-turns.ts'
import type { Citation } from './citation-marks.ts'
import { MessageFiles } from './message-files.tsx'
import { prettyAction } from './message-form.ts'
import { RateButtons } from './rate-buttons.tsx'
import { useCitations } from './use-citations.ts'

const PlainText = ({ text }: { text: string }) => <div className="plain-text">{text}</div>

// A server that was updated meanwhile has it no more; the words are what counts.
const Markdown = lazy(() =>
  import('./markdown.tsx').then(
    module => ({ default: module.Markdown }),
    () => ({ default: PlainText }),
  ),
)

const useWords = defineWords(
  { copy: 'Copy answer', action: 'Action', sources: 'Sources', trace: 'Trace' },
  { copy: '复制回答', action: '动作', sources: '来源', trace: '运行详情' },
)

export interface ReplyActions {
  /** Undefined where nothing may be said of answers. */
  rate: ((messageId: string, rating: Rating | null, comment?: string) => Promise<void>) | undefined
  cite: (citation: Citation) => void
}

interface ReplyViewProps {
  reply: ChatMessage
  runId: string | undefined
  /** Whether all of it is there. */
  isWhole: boolean
  isLast: boolean
  actions: ReplyActions
}

/** One message of the agent, with what can be done about it. */
export const ReplyView = memo(function ReplyView({ reply, runId, isWhole, isLast, actions }: ReplyViewProps) {
  const citations = useCitations(runId, reply.content, isWhole)
  return (
    <div className="reply">
      <ReplyContent reply={reply} citations={citations} onCite={actions.cite} />
      <MessageFiles fileIds={reply.fileIds} />
      {isWhole && citations.length > 0 && <Sources citations={citations} onCite={actions.cite} />}
      {isWhole && <ReplyBar reply={reply} runId={isLast ? runId : undefined} actions={actions} />}
    </div>
  )
})

interface Cited {
  citations: readonly Citation[]
  onCite: (citation: Citation) => void
}

function ReplyContent({ reply, citations, onCite }: Cited & { reply: ChatMessage }) {
  const words = useWords()
  if (reply.type === 'action')
    return (
      <figure className="action-message">
        <figcaption className="soft small">{words.action}</figcaption>
        <pre>{prettyAction(reply.content)}</pre>
      </figure>
    )
  if (reply.content === '') return null
  return (
    <Suspense fallback={<PlainText text={reply.content} />}>
      <Markdown text={reply.content} citations={citations} onCite={onCite} />
    </Suspense>
  )
}

function Sources({ citations, onCite }: Cited) {
  const words = useWords()
  return (
    <div className="sources">
      <span className="soft small">{words.sources}</span>
      {citations.map(citation => (
        <button key={citation.index} type="button" onClick={() => onCite(citation)}>
          <b>{citation.index}</b> {citation.file_name}
        </button>
      ))}
    </div>
  )
}

function ReplyBar({ reply, runId, actions }: Pick<ReplyViewProps, 'reply' | 'runId' | 'actions'>) {
  const words = useWords()
  const { rate } = actions
  return (
    <div className="reply-bar">
      <CopyButton size="small" text={reply.content} label={words.copy} />
      {rate && (
        <RateButtons rating={reply.rating} onRate={(rating, comment) => rate(reply.id, rating, comment)} />
      )}
      {runId !== undefined && (
        <a className="trace-link soft small" href={`#/runs/${encodeURIComponent(runId)}`}>
          {words.trace}
        </a>
      )}
    </div>
  )
}
