import { memo, type ReactNode, useCallback, useEffect, useId, useRef, useState } from 'react'
import type { ChatMessage, Rating } from '../pages/agents/chat/chat-turns.ts'
import { prettyAction } from '../pages/agents/chat/message-form.ts'
import { hasMarks } from '../ui/markdown/citation-marks.ts'
import type { Citation } from '../ui/markdown/citations.ts'
import { useRetryWhenReachable } from '../ui/use-retry-when-reachable.ts'
import { defineWords } from '../ui/words.ts'
import { CopyButton } from './copy-button.tsx'
import { IconButton, icons } from './icons.tsx'
import { Markdown } from './markdown.tsx'
import { MessageFiles } from './message-files.tsx'

const useWords = defineWords(
  {
    copy: 'Copy answer',
    like: 'Good answer',
    dislike: 'Bad answer',
    again: 'Regenerate',
    sources: 'Sources',
    why: 'What was wrong with it? (optional)',
    send: 'Send feedback',
    cancel: 'Cancel',
  },
  {
    copy: '复制回答',
    like: '回答得好',
    dislike: '回答得不好',
    again: '重新生成',
    sources: '来源',
    why: '哪里不好？（选填）',
    send: '提交反馈',
    cancel: '取消',
  },
)

interface ReplyProps {
  reply: ChatMessage
  chatId: string
  isWhole: boolean
  /** Loads the passages that the replies of a turn cite. */
  citationsOf: (chatId: string) => Promise<readonly Citation[]>
  /** Undefined if the reply cannot be rated. */
  onRate: ((messageId: string, rating: Rating | null, comment?: string) => void) | undefined
  /** Asks for another answer; undefined if this is not the last reply. */
  onAgain: (() => void) | undefined
}

const none: readonly Citation[] = []

/** One message of the agent, with its actions for visitors. */
export const Reply = memo(function Reply({
  reply,
  chatId,
  isWhole,
  citationsOf,
  onRate,
  onAgain,
}: ReplyProps) {
  const words = useWords()
  const citations = useCitations(reply, chatId, isWhole, citationsOf)
  const [cited, setCited] = useState<number>()
  const onCite = useCallback(({ index }: Citation) => setCited(index), [])
  const listId = useId()
  const content =
    reply.type === 'action' ? (
      <pre className="action-message">{prettyAction(reply.content)}</pre>
    ) : (
      <Markdown {...{ text: reply.content, citations, onCite }} />
    )
  return (
    <div className="reply">
      {reply.content !== '' && content}
      <MessageFiles messageId={reply.id} fileIds={reply.fileIds} />
      {citations.length > 0 && (
        <section className="cited" aria-label={words.sources} id={listId}>
          {citations.map(citation => (
            <Source key={citation.index} citation={citation} isOpen={cited === citation.index} />
          ))}
        </section>
      )}
      {isWhole && (
        <div className="reply-bar">
          {reply.content !== '' && <CopyButton text={reply.content} label={words.copy} />}
          {onRate && (
            <RateButtons rating={reply.rating} onRate={(rating, why) => onRate(reply.id, rating, why)}>
              {onAgain && <IconButton icon={icons.again} label={words.again} onClick={onAgain} />}
            </RateButtons>
          )}
        </div>
      )}
    </div>
  )
})

function Source({ citation, isOpen }: { citation: Citation; isOpen: boolean }) {
  const [isShown, setIsShown] = useState(false)
  useEffect(() => {
    if (isOpen) setIsShown(true)
  }, [isOpen])
  return (
    <details open={isShown} onToggle={event => setIsShown(event.currentTarget.open)}>
      <summary>
        <b>{citation.index}</b> {citation.file_name}
      </summary>
      <blockquote>{citation.content}</blockquote>
      {citation.source_url !== undefined && /^https?:\/\//.test(citation.source_url) && (
        <a href={citation.source_url} target="_blank" rel="noreferrer noopener">
          {citation.source_url}
        </a>
      )}
    </details>
  )
}

function useCitations(
  { content }: ChatMessage,
  chatId: string,
  isWhole: boolean,
  citationsOf: ReplyProps['citationsOf'],
): readonly Citation[] {
  const [citations, setCitations] = useState(none)
  const [failure, setFailure] = useState<unknown>()
  const [retries, setRetries] = useState(0)
  useRetryWhenReachable(failure, () => setRetries(retries + 1))
  const isNeeded = isWhole && hasMarks(content)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a retry loads the passages again
  useEffect(() => {
    if (!isNeeded) return
    let isLeft = false
    // Without the citations the answer is still complete.
    citationsOf(chatId).then(
      found => isLeft || setCitations(found.filter(({ index }) => hasMark(content, index))),
      (error: unknown) => isLeft || setFailure(error),
    )
    return () => {
      isLeft = true
    }
  }, [isNeeded, chatId, content, citationsOf, retries])
  return citations
}

const hasMark = (content: string, index: number): boolean =>
  new RegExp(`(?<!\\d)${index}(?!\\d)`).test(content)

interface RateButtonsProps {
  rating: Rating | undefined
  onRate: (rating: Rating | null, comment?: string) => void
  /** Further buttons, in the line above the form. */
  children: ReactNode
}

/** Rates an answer; choosing the same rating again removes it. */
function RateButtons({ rating, onRate, children }: RateButtonsProps) {
  const words = useWords()
  const [isAsking, setIsAsking] = useState(false)
  const dislike = useRef<HTMLButtonElement>(null)
  const close = (): void => {
    setIsAsking(false)
    dislike.current?.focus()
  }
  const rate = (next: Rating): void => {
    onRate(rating === next ? null : next)
    setIsAsking(next === 'dislike' && rating !== 'dislike')
  }
  return (
    <>
      <IconButton
        icon={icons.like}
        label={words.like}
        isPressed={rating === 'like'}
        onClick={() => rate('like')}
      />
      <IconButton
        ref={dislike}
        icon={icons.dislike}
        label={words.dislike}
        isPressed={rating === 'dislike'}
        onClick={() => rate('dislike')}
      />
      {children}
      {isAsking && (
        <Comment
          onSend={comment => {
            close()
            onRate('dislike', comment)
          }}
          onCancel={close}
        />
      )}
    </>
  )
}

function Comment({ onSend, onCancel }: { onSend: (comment: string) => void; onCancel: () => void }) {
  const words = useWords()
  const [comment, setComment] = useState('')
  return (
    <form
      className="why"
      onSubmit={event => {
        event.preventDefault()
        onSend(comment.trim())
      }}
      onKeyDown={event => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        onCancel()
      }}
    >
      <textarea
        // biome-ignore lint/a11y/noAutofocus: it appears where the visitor just clicked
        autoFocus
        rows={2}
        maxLength={2000}
        aria-label={words.why}
        placeholder={words.why}
        value={comment}
        onChange={event => setComment(event.target.value)}
      />
      <button type="button" onClick={onCancel}>
        {words.cancel}
      </button>
      <button type="submit" className="primary">
        {words.send}
      </button>
    </form>
  )
}
