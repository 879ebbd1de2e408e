import { memo, useState } from 'react'
import { isLive, type Outgoing } from '../pages/agents/chat/chat-state.ts'
import {
  type ChatMessage,
  type ChatTurn,
  type Rating,
  repliesShown,
} from '../pages/agents/chat/chat-turns.ts'
import type { Citation } from '../pages/agents/chat/citation-marks.ts'
import { prettyAction } from '../pages/agents/chat/message-form.ts'
import { defineWords } from '../ui/words.ts'
import { reasonText, useFailureWords } from './failure-words.ts'
import { IconButton, icons } from './icons.tsx'
import { MessageFiles } from './message-files.tsx'
import { Reply } from './reply.tsx'

const useWords = defineWords(
  {
    you: 'You',
    thinking: 'Thinking…',
    silent: 'No answer.',
    sendAgain: 'Send again',
    options: 'Suggested answers',
    edit: 'Edit message',
    edited: 'Edited message',
    save: 'Send',
    cancel: 'Cancel',
  },
  {
    you: '你',
    thinking: '思考中…',
    silent: '没有回答。',
    sendAgain: '重新发送',
    options: '可选的回答',
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
  rate: (messageId: string, rating: Rating | null, comment?: string) => void
  citationsOf: (chatId: string) => Promise<readonly Citation[]>
}

interface TurnProps {
  turn: ChatTurn
  agentName: string
  isLast: boolean
  /** Whether another answer is in progress. */
  isBusy: boolean
  actions: TurnActions
}

const outgoingOf = ({ type, content, fileIds }: ChatMessage): Outgoing => ({ type, content, fileIds })

/** A message of the visitor and the replies to it. */
export const Turn = memo(function Turn({ turn, agentName, isLast, isBusy, actions }: TurnProps) {
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
            isBusy || userMessage.type === 'action'
              ? undefined
              : content => actions.replace(chatId, { ...outgoingOf(userMessage), content })
          }
        />
      )}
      <section className="replies" aria-label={agentName} aria-busy={isGoingOn}>
        {replies.map((reply, at) => (
          <Reply
            key={reply.id}
            {...{ reply, chatId, citationsOf: actions.citationsOf, onRate: actions.rate }}
            isWhole={!isGoingOn}
            onAgain={isLast && !isBusy && at === replies.length - 1 ? again : undefined}
          />
        ))}
        {isGoingOn && (
          <div className="thinking" role="status">
            <span className={replies.length > 0 ? 'visually-hidden' : 'soft'}>{words.thinking}</span>
            <i aria-hidden="true" />
          </div>
        )}
        {turn.phase === 'ended' && replies.length === 0 && <p className="soft">{words.silent}</p>}
        {turn.failure && <Failed turn={turn} onAgain={() => actions.sendAgain(turn)} />}
        {isLast && turn.options && turn.options.length > 0 && (
          <fieldset className="options" aria-label={words.options}>
            {turn.options.map(option => (
              <button key={option} type="button" className="pill" onClick={() => actions.send(option)}>
                {option}
              </button>
            ))}
          </fieldset>
        )}
      </section>
    </div>
  )
})

interface UserMessageProps {
  message: ChatMessage
  onEdit: ((content: string) => void) | undefined
}

function UserMessage({ message, onEdit }: UserMessageProps) {
  const words = useWords()
  const [draft, setDraft] = useState<string>()
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
          if (event.key === 'Escape') setDraft(undefined)
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
        <button type="button" onClick={() => setDraft(undefined)}>
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
      {onEdit && message.type !== 'voice' && (
        <div className="said-bar">
          <IconButton icon={icons.edit} label={words.edit} onClick={() => setDraft(message.content)} />
        </div>
      )}
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
