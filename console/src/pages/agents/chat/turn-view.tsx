import { EditOutlined } from '@ant-design/icons'
import { Alert, Button, Input } from 'antd'
import { memo, useCallback, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { useLanguage } from '../../../ui/preferences.ts'
import { explain, isModelMissing } from '../../../ui/server-texts/message-facts.ts'
import { defineWords } from '../../../ui/words.ts'
import { ToolSteps } from './answer-steps.tsx'
import { isLive, type Outgoing } from './chat-state.ts'
import { type ChatMessage, type ChatTurn, repliesShown } from './chat-turns.ts'
import { MessageFiles } from './message-files.tsx'
import { prettyAction } from './message-form.ts'
import { type ReplyActions, ReplyView } from './reply-view.tsx'
import { TurnVersions } from './turn-versions.tsx'

const useWords = defineWords(
  {
    you: 'You',
    thinking: 'Thinking…',
    unreachable: 'The connection to the server was lost. The answer may still be generated.',
    unknown: 'Something went wrong.',
    again: 'Send again',
    models: 'Go to models',
    options: 'Suggested answers',
    trace: 'View trace',
    silent: 'No answer.',
    stopped: 'Stopped.',
    next: 'Suggested next questions',
    copy: 'Copy message',
    edit: 'Edit message',
    edited: 'Edited message',
    send: 'Send',
    cancel: 'Cancel',
  },
  {
    you: '你',
    thinking: '思考中…',
    unreachable: '与服务器的连接已断开，回答可能仍在生成。',
    unknown: '出错了。',
    again: '重新发送',
    models: '前往模型',
    options: '可选的回答',
    trace: '查看运行详情',
    silent: '没有回答。',
    stopped: '已停止生成。',
    next: '推荐的后续问题',
    copy: '复制消息',
    edit: '编辑消息',
    edited: '编辑后的消息',
    send: '发送',
    cancel: '取消',
  },
)

interface TurnViewProps {
  turn: ChatTurn
  /** Only the trace of the newest turn is loaded without a request of the user. */
  isNewest: boolean
  agentName: string
  /** Undefined if read only. */
  onAnswer: ((text: string) => void) | undefined
  onAgain: ((turn: ChatTurn) => void) | undefined
  /** Sends a message in place of a turn; undefined if read only, or while an answer is in progress. */
  onReplace: ((chatId: string, outgoing: Outgoing) => void) | undefined
  readVersion: (chatId: string, version: number) => Promise<readonly ChatTurn[]>
  actions: ReplyActions
}

/** A turn, with its earlier versions if it replaced others. */
export const TurnView = memo(function TurnView(props: TurnViewProps) {
  const { turn, agentName, readVersion } = props
  const { chatId, version = 1 } = turn
  const read = useCallback((number: number) => readVersion(chatId, number), [readVersion, chatId])
  if (version < 2 || isLive(turn)) return <CurrentTurn {...props} />
  const show = (earlier: ChatTurn) => (
    <CurrentTurn
      key={earlier.chatId}
      {...{ turn: earlier, agentName, readVersion, isNewest: false }}
      {...{ onAnswer: undefined, onAgain: undefined, onReplace: undefined }}
      actions={{ ...props.actions, rate: undefined }}
    />
  )
  return (
    <TurnVersions {...{ version, read, show }}>
      <CurrentTurn {...props} />
    </TurnVersions>
  )
})

const outgoingOf = ({ type, content, fileIds }: ChatMessage): Outgoing => ({ type, content, fileIds })

/** A user's message and the replies. */
function CurrentTurn({ turn, isNewest, agentName, onAnswer, onAgain, onReplace, actions }: TurnViewProps) {
  const { userMessage, chatId } = turn
  const replace =
    onReplace &&
    userMessage &&
    ((content: string) => onReplace(chatId, { ...outgoingOf(userMessage), content }))
  const words = useWords()
  const replies = repliesShown(turn)
  const isGoingOn = isLive(turn)
  return (
    <div className="turn">
      {userMessage && (
        <UserMessage
          message={userMessage}
          onEdit={userMessage.type === 'action' || userMessage.type === 'voice' ? undefined : replace}
        />
      )}
      <section className="replies" aria-label={agentName} aria-busy={isGoingOn}>
        {replies.map((reply, at) => (
          <ReplyView
            key={reply.id}
            reply={reply}
            runId={turn.runId}
            question={userMessage?.type === 'text' ? userMessage.content : undefined}
            isWhole={!isGoingOn}
            isLast={at === replies.length - 1}
            isNewest={isNewest}
            tools={turn.tools && (at === 0 ? turn.tools : [])}
            reasoning={turn.reasoning && (at === 0 ? turn.reasoning : null)}
            annotationId={at === 0 ? turn.annotationId : undefined}
            onAgain={
              replace && isNewest && at === replies.length - 1
                ? () => replace(userMessage!.content)
                : undefined
            }
            actions={actions}
          />
        ))}
        {replies.length === 0 && turn.tools && <ToolSteps tools={turn.tools} />}
        {isGoingOn && (
          <div className="thinking" role="status">
            <span className={replies.length > 0 ? 'visually-hidden' : 'soft'}>{words.thinking}</span>
            <i aria-hidden="true" />
          </div>
        )}
        {turn.phase === 'ended' && (replies.length === 0 || turn.isStopped) && (
          <p className="soft small">{turn.isStopped ? words.stopped : words.silent}</p>
        )}
        {turn.failure && <Failed turn={turn} onAgain={onAgain} />}
        {onAnswer && <Choices label={words.options} texts={turn.options} onChoose={onAnswer} />}
        {onAnswer && isNewest && <Choices label={words.next} texts={turn.suggestions} onChoose={onAnswer} />}
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
        <Button key={text} onClick={() => onChoose(text)}>
          {text}
        </Button>
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
      <EditMessage
        {...{ draft, setDraft }}
        onCancel={cancel}
        onSend={() => {
          setDraft(undefined)
          onEdit(draft.trim())
        }}
      />
    )
  return (
    <section className="said" aria-label={words.you}>
      <MessageFiles fileIds={message.fileIds} />
      {message.content !== '' && (
        <div className="plain-text">
          {message.type === 'action' ? prettyAction(message.content) : message.content}
        </div>
      )}
      <div className="question-bar">
        {message.content !== '' && <CopyButton size="small" text={message.content} label={words.copy} />}
        {onEdit && (
          <Button
            ref={editButton}
            type="text"
            size="small"
            aria-label={words.edit}
            title={words.edit}
            icon={<EditOutlined />}
            onClick={() => setDraft(message.content)}
          />
        )}
      </div>
    </section>
  )
}

interface EditMessageProps {
  draft: string
  setDraft: (draft: string) => void
  onCancel: () => void
  onSend: () => void
}

/** As in the composer, Enter sends and Shift+Enter begins a new line. */
function EditMessage({ draft, setDraft, onCancel, onSend }: EditMessageProps) {
  const words = useWords()
  const isEmpty = draft.trim() === ''
  return (
    <form
      className="edit-question"
      onSubmit={event => {
        event.preventDefault()
        if (!isEmpty) onSend()
      }}
    >
      <Input.TextArea
        autoFocus
        autoSize={{ minRows: 2, maxRows: 12 }}
        aria-label={words.edited}
        value={draft}
        onChange={event => setDraft(event.target.value)}
        onKeyDown={event => {
          if (event.key === 'Escape') onCancel()
          if (event.key !== 'Enter' || event.shiftKey) return
          event.preventDefault()
          if (!isEmpty) onSend()
        }}
      />
      <div className="rate-buttons">
        <Button size="small" onClick={onCancel}>
          {words.cancel}
        </Button>
        <Button size="small" type="primary" htmlType="submit" disabled={isEmpty}>
          {words.send}
        </Button>
      </div>
    </form>
  )
}

function Failed({ turn, onAgain }: { turn: ChatTurn; onAgain: TurnViewProps['onAgain'] }) {
  const words = useWords()
  const { reason, message } = turn.failure!
  const { title, details } = explain(useLanguage(), reason, message || words.unknown)
  return (
    <Alert
      type="error"
      showIcon
      role="alert"
      title={reason === 'unreachable' ? words.unreachable : title}
      description={
        <>
          {details.map(line => (
            <div key={line}>{line}</div>
          ))}
          {/* Below the text, which a button beside it would squeeze. */}
          <div className="failed-actions">
            {onAgain && (
              <Button size="small" onClick={() => onAgain(turn)}>
                {words.again}
              </Button>
            )}
            {isModelMissing(message) && <a href="#/models">{words.models}</a>}
            {turn.runId !== undefined && (
              <a href={`#/runs/${encodeURIComponent(turn.runId)}`}>{words.trace}</a>
            )}
          </div>
        </>
      }
    />
  )
}
