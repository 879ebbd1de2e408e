import {
  DislikeFilled,
  DislikeOutlined,
  LikeFilled,
  LikeOutlined,
  PushpinOutlined,
  ReloadOutlined,
} from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Button, Input, Popover } from 'antd'
import { memo, useMemo, useState } from 'react'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { useFailureToast } from '../../../ui/failure.tsx'
import { hasMarks } from '../../../ui/markdown/citation-marks.ts'
import { type Citation, citationsFor } from '../../../ui/markdown/citations.ts'
import { Markdown } from '../../../ui/markdown/markdown.tsx'
import { PageLink } from '../../../ui/page-link.tsx'
import { defineWords } from '../../../ui/words.ts'
import { AnnotationMark, Reasoning, ToolSteps } from './answer-steps.tsx'
import { readRun } from './chat-api.ts'
import type { ChatMessage, ChatTurn, Rating, ToolCall } from './chat-turns.ts'
import { MessageFiles } from './message-files.tsx'
import { prettyAction } from './message-form.ts'
import { originOf } from './reply-origin.ts'

const range = (first: number, last: number): string => (first === last ? `${first}` : `${first}–${last}`)

const useWords = defineWords(
  {
    copy: 'Copy answer',
    action: 'Action',
    sources: 'Sources',
    trace: 'Trace',
    again: 'Regenerate',
    annotate: 'Use this answer next time',
    pages: (first: number, last: number) => `p. ${range(first, last)}`,
  },
  {
    copy: '复制回答',
    action: '动作',
    sources: '来源',
    trace: '运行详情',
    again: '重新生成',
    annotate: '下次使用这个回答',
    pages: (first: number, last: number) => `第 ${range(first, last)} 页`,
  },
)

export interface ReplyActions {
  /** Undefined if answers cannot be rated. */
  rate: ((messageId: string, rating: Rating | null, comment?: string) => Promise<void>) | undefined
  cite: (citation: Citation) => void
  /** Makes the reply the stored answer to a question; undefined if the user may not. */
  annotate?: ((question: string, answer: string) => void) | undefined
  /** Where an annotation is edited; undefined if the user may not. */
  annotationHref?: ((annotationId: string) => string) | undefined
}

interface ReplyViewProps {
  reply: ChatMessage
  runId: string | undefined
  /** The question that the reply answers, if that is a text. */
  question?: string | undefined
  /** Whether the reply is complete. */
  isWhole: boolean
  isLast: boolean
  /** Whether the turn of the reply is the newest one. */
  isNewest: boolean
  /** Calls of tools for the answer; undefined if only the trace may have them. */
  tools?: readonly ToolCall[] | undefined
  /** The reasoning of the model, or null; undefined if only the trace may have it. */
  reasoning?: ChatTurn['reasoning'] | null
  /** The annotation that gave the answer. */
  annotationId?: string | undefined
  /** Asks the same again; undefined if that is not possible. */
  onAgain?: (() => void) | undefined
  actions: ReplyActions
}

/** One message of the agent, with its actions. */
export const ReplyView = memo(function ReplyView(props: ReplyViewProps) {
  const { reply, runId, question, isWhole, isLast, onAgain, actions } = props
  const { citations, origin } = useOrigin(props)
  const tools = props.tools ?? origin?.tools ?? []
  const reasoning = props.reasoning === undefined ? origin?.reasoning : props.reasoning
  return (
    <div className="reply">
      {props.annotationId !== undefined && (
        <AnnotationMark href={actions.annotationHref?.(props.annotationId)} />
      )}
      {reasoning && <Reasoning {...reasoning} />}
      {tools.length > 0 && <ToolSteps tools={tools} />}
      <ReplyContent reply={reply} citations={citations} onCite={actions.cite} />
      <MessageFiles fileIds={reply.fileIds} />
      {isWhole && citations.length > 0 && <Sources citations={citations} onCite={actions.cite} />}
      {isWhole && (
        <ReplyBar reply={reply} runId={isLast ? runId : undefined} {...{ question, onAgain, actions }} />
      )}
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
  return <Markdown text={reply.content} citations={citations} onCite={onCite} />
}

function Sources({ citations, onCite }: Cited) {
  const words = useWords()
  return (
    <div className="sources">
      <span className="soft small">{words.sources}</span>
      {citations.map(citation => (
        <span key={citation.index} className="source">
          <button type="button" onClick={() => onCite(citation)}>
            <b>{citation.index}</b> {citation.file_name}
            {citation.page !== undefined && (
              <span className="soft"> {words.pages(citation.page, citation.last_page ?? citation.page)}</span>
            )}
          </button>
          {citation.source_url !== undefined && <PageLink url={citation.source_url} />}
        </span>
      ))}
    </div>
  )
}

type ReplyBarProps = Pick<ReplyViewProps, 'reply' | 'runId' | 'question' | 'onAgain' | 'actions'>

function ReplyBar({ reply, runId, question, onAgain, actions }: ReplyBarProps) {
  const words = useWords()
  const { rate, annotate } = actions
  return (
    <div className="reply-bar">
      {reply.content !== '' && <CopyButton size="small" text={reply.content} label={words.copy} />}
      {rate && (
        <RateButtons rating={reply.rating} onRate={(rating, comment) => rate(reply.id, rating, comment)} />
      )}
      {annotate && question && reply.type === 'text' && (
        <Button
          type="text"
          size="small"
          aria-label={words.annotate}
          title={words.annotate}
          icon={<PushpinOutlined />}
          onClick={() => annotate(question, reply.content)}
        />
      )}
      {onAgain && (
        <Button
          type="text"
          size="small"
          aria-label={words.again}
          title={words.again}
          icon={<ReloadOutlined />}
          onClick={onAgain}
        />
      )}
      {runId !== undefined && (
        <a className="trace-link soft small" href={`#/runs/${encodeURIComponent(runId)}`}>
          {words.trace}
        </a>
      )}
    </div>
  )
}

const useRateButtonsWords = defineWords(
  {
    like: 'Good answer',
    dislike: 'Bad answer',
    why: 'What was wrong with it? (optional)',
    send: 'Send feedback',
    cancel: 'Cancel',
  },
  {
    like: '回答得好',
    dislike: '回答得不好',
    why: '哪里不好？（选填）',
    send: '提交反馈',
    cancel: '取消',
  },
)

interface RateButtonsProps {
  rating: Rating | undefined
  onRate: (rating: Rating | null, comment?: string) => Promise<void>
}

/** Rates an answer; choosing the same rating again removes it. */
function RateButtons({ rating, onRate }: RateButtonsProps) {
  const words = useRateButtonsWords()
  const showFailure = useFailureToast()
  const [isAsking, setIsAsking] = useState(false)
  const rate = (next: Rating | null, comment?: string): void => {
    setIsAsking(false)
    onRate(next, comment).catch(showFailure)
  }
  return (
    <>
      <Button
        type="text"
        size="small"
        aria-label={words.like}
        title={words.like}
        aria-pressed={rating === 'like'}
        icon={rating === 'like' ? <LikeFilled /> : <LikeOutlined />}
        onClick={() => rate(rating === 'like' ? null : 'like')}
      />
      <Popover
        open={isAsking}
        trigger="click"
        placement="topLeft"
        destroyOnHidden
        onOpenChange={isOpen => setIsAsking(isOpen && rating !== 'dislike')}
        content={<Comment onSend={comment => rate('dislike', comment)} onCancel={() => setIsAsking(false)} />}
      >
        <Button
          type="text"
          size="small"
          aria-label={words.dislike}
          title={words.dislike}
          aria-pressed={rating === 'dislike'}
          icon={rating === 'dislike' ? <DislikeFilled /> : <DislikeOutlined />}
          onClick={() => {
            if (rating === 'dislike') rate(null)
          }}
        />
      </Popover>
    </>
  )
}

function Comment({ onSend, onCancel }: { onSend: (comment: string) => void; onCancel: () => void }) {
  const words = useRateButtonsWords()
  const [comment, setComment] = useState('')
  return (
    <form
      className="rate-comment"
      onSubmit={event => {
        event.preventDefault()
        onSend(comment.trim())
      }}
      onKeyDown={event => {
        if (event.key === 'Escape') onCancel()
      }}
    >
      <Input.TextArea
        autoFocus
        rows={3}
        maxLength={2000}
        aria-label={words.why}
        placeholder={words.why}
        value={comment}
        onChange={event => setComment(event.target.value)}
      />
      <div className="rate-buttons">
        <Button size="small" onClick={onCancel}>
          {words.cancel}
        </Button>
        <Button size="small" type="primary" htmlType="submit">
          {words.send}
        </Button>
      </div>
    </form>
  )
}

const unknown = { citations: [] as readonly Citation[], origin: undefined }

/**
 * The passages that the marks in a reply refer to, and the reasoning of the model. Both are in the run's trace, which
 * is loaded for the newest turn, and for others only if there are marks.
 */
function useOrigin({ runId, reply, isWhole, isNewest }: ReplyViewProps) {
  const { content, type } = reply
  const { data } = useQuery({
    queryKey: ['run-nodes', runId],
    // null: queries must not return undefined.
    queryFn: async ({ signal }) => (await readRun(runId!, signal))?.nodes ?? null,
    enabled: isWhole && runId !== undefined && type === 'text' && (isNewest || hasMarks(content)),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return useMemo(
    () => (data ? { citations: citationsFor(content, data), origin: originOf(content, data) } : unknown),
    [data, content],
  )
}
