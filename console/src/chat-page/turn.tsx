import { memo, useCallback, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { AnnotationMark, ToolSteps } from '../pages/agents/chat/answer-steps.tsx'
import { isLive, type Outgoing } from '../pages/agents/chat/chat-state.ts'
import {
  type ChatMessage,
  type ChatTurn,
  type Rating,
  repliesShown,
} from '../pages/agents/chat/chat-turns.ts'
import { prettyAction } from '../pages/agents/chat/message-form.ts'
import { TurnVersions } from '../pages/agents/chat/turn-versions.tsx'
import type { Citation } from '../ui/markdown/citations.ts'
import { defineWords } from '../ui/words.ts'
import { CopyButton } from './copy-button.tsx'
import { reasonText, useFailureWords } from './failure-words.ts'
import { IconButton, icons } from './icons.tsx'
import { MessageFiles } from './message-files.tsx'
import { Reply } from './reply.tsx'

const useWords = defineWords(
  {
    you: 'You',
    thinking: 'Thinking…',
    silent: 'No answer.',
    stopped: 'Stopped.',
    sendAgain: 'Send again',
    options: 'Suggested answers',
    next: 'Suggested next questions',
    copy: 'Copy message',
    edit: 'Edit message',
    edited: 'Edited message',
    save: 'Send',
    cancel: 'Cancel',
  },
  {
    you: '你',
    thinking: '思考中…',
    silent: '没有回答。',
    stopped: '已停止生成。',
    sendAgain: '重新发送',
    options: '可选的回答',
    next: '推荐的后续问题',
    copy: '复制消息',
    edit: '编辑消息',
    edited: '编辑后的消息',
    save: '发送',
    cancel: '取消',
  },
)

export interface TurnActions {
  send: (text: string) => void
  sendAgain: (turn: ChatTurn) => void
  replace: (chatId: string, outgoing: Outgoing) => void
  /** Undefined for an earlier version, whose replies can no longer be rated. */
  rate: ((messageId: string, rating: Rating | null, comment?: string) => void) | undefined
  citationsOf: (chatId: string) => Promise<readonly Citation[]>
  version: (chatId: string, version: number) => Promise<readonly ChatTurn[]>
}

interface TurnProps {
  turn: ChatTurn
  agentName: string
  isLast: boolean
  /** Whether the message of the turn can be edited or sent again. */
  mayReplace: boolean
  actions: TurnActions
}

const outgoingOf = ({ type, content, fileIds }: ChatMessage): Outgoing => ({ type, content, fileIds })

/** A turn, with its earlier versions if it replaced others. */
export const Turn = memo(function Turn(props: TurnProps) {
  const { turn, actions } = props
  const { chatId, version = 1 } = turn
  const read = useCallback((number: number) => actions.version(chatId, number), [actions, chatId])
  if (version < 2 || isLive(turn)) return <CurrentTurn {...props} />
  const show = (earlier: ChatTurn) => (
    <CurrentTurn
      key={earlier.chatId}
      {...{ ...props, turn: earlier, isLast: false, mayReplace: false }}
      actions={{ ...actions, rate: undefined }}
    />
  )
  return (
    <TurnVersions {...{ version, read, show }}>
      <CurrentTurn {...props} />
    </TurnVersions>
  )
})

/** A message of the visitor and the replies to it. */
function CurrentTurn({ turn, agentName, isLast, mayReplace, actions }: TurnProps) {
  const words = useWords()
  const replies = repliesShown(turn)
  const isGoingOn = isLive(turn)
  const { userMessage, chatId } = turn
  const again = userMessage && (() => actions.replace(chatId, outgoingOf(userMessage)))
  return (
    <div className="turn">
      {userMessage && (
        <UserMessage
          message={userMessage}
          onEdit={
            mayReplace && userMessage.type !== 'action'
              ? content => actions.replace(chatId, { ...outgoingOf(userMessage), content })
              : undefined
          }
        />
      )}
      <section className="replies" aria-label={agentName} aria-busy={isGoingOn}>
        {turn.annotationId !== undefined && <AnnotationMark />}
        {turn.tools && <ToolSteps tools={turn.tools} />}
        {replies.map((reply, at) => (
          <Reply
            key={reply.id}
            {...{ reply, chatId, citationsOf: actions.citationsOf, onRate: actions.rate }}
            isWhole={!isGoingOn}
            onAgain={isLast && mayReplace && at === replies.length - 1 ? again : undefined}
          />
        ))}
        {isGoingOn && (
          <div className="thinking" role="status">
            <span className={replies.length > 0 ? 'visually-hidden' : 'soft'}>{words.thinking}</span>
            <i aria-hidden="true" />
          </div>
        )}
        {turn.phase === 'ended' && (replies.length === 0 || turn.isStopped) && (
          <p className="soft small">{turn.isStopped ? words.stopped : words.silent}</p>
        )}
        {turn.failure && <Failed turn={turn} onAgain={() => actions.sendAgain(turn)} />}
        {isLast && <Choices label={words.options} texts={turn.options} onChoose={actions.send} />}
        {isLast && <Choices label={words.next} texts={turn.suggestions} onChoose={actions.send} />}
      </section>
    </div>
  )
}

interface ChoicesProps {
  label: string
  texts: readonly string[] | undefined
  onChoose: (text: string) => void
}

function Choices({ label, texts, onChoose }: ChoicesProps) {
  if (!texts || texts.length === 0) return null
  return (
    <fieldset className="options" aria-label={label}>
      {texts.map(text => (
        <button key={text} type="button" className="pill" onClick={() => onChoose(text)}>
          {text}
        </button>
      ))}
    </fieldset>
  )
}

interface UserMessageProps {
  message: ChatMessage
  onEdit: ((content: string) => void) | undefined
}

function UserMessage({ message, onEdit }: UserMessageProps) {
  const words = useWords()
  const [draft, setDraft] = useState<string>()
  const editButton = useRef<HTMLButtonElement>(null)
  const cancel = (): void => {
    flushSync(() => setDraft(undefined))
    editButton.current?.focus()
  }
  if (draft !== undefined && onEdit)
    return (
      <form
        className="edit"
        onSubmit={event => {
          event.preventDefault()
          setDraft(undefined)
          onEdit(draft.trim())
        }}
        onKeyDown={event => {
          if (event.key !== 'Escape') return
          event.preventDefault()
          cancel()
        }}
      >
        <textarea
          // biome-ignore lint/a11y/noAutofocus: it takes the place of the message that the visitor edits
          autoFocus
          rows={3}
          aria-label={words.edited}
          value={draft}
          onChange={event => setDraft(event.target.value)}
        />
        <button type="button" onClick={cancel}>
          {words.cancel}
        </button>
        <button type="submit" className="primary" disabled={draft.trim() === ''}>
          {words.save}
        </button>
      </form>
    )
  return (
    <section className="said" aria-label={words.you}>
      <MessageFiles messageId={message.id} fileIds={message.fileIds} />
      {message.content !== '' && (
        <div className="plain-text">
          {message.type === 'action' ? prettyAction(message.content) : message.content}
        </div>
      )}
      <div className="said-bar">
        {message.content !== '' && <CopyButton text={message.content} label={words.copy} />}
        {onEdit && message.type !== 'voice' && (
          <IconButton
            ref={editButton}
            icon={icons.edit}
            label={words.edit}
            onClick={() => setDraft(message.content)}
          />
        )}
      </div>
    </section>
  )
}

function Failed({ turn, onAgain }: { turn: ChatTurn; onAgain: () => void }) {
  const words = useWords()
  const failures = useFailureWords()
  return (
    <p className="chat-failed" role="alert">
      <span>{reasonText(failures, turn.failure!.reason)}</span>
      <button type="button" onClick={onAgain}>
        {words.sendAgain}
      </button>
    </p>
  )
}
