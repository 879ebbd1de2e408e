import { Alert, Button } from 'antd'
import { memo } from 'react'
import { useLanguage } from '../../../ui/preferences.ts'
import { explain } from '../../../ui/server-texts/message-facts.ts'
import { defineWords } from '../../../ui/words.ts'
import { isLive } from './chat-state.ts'
import { type ChatMessage, type ChatTurn, repliesShown } from './chat-turns.ts'
import { MessageFiles } from './message-files.tsx'
import { prettyAction } from './message-form.ts'
import { type ReplyActions, ReplyView } from './reply-view.tsx'

const useWords = defineWords(
  {
    you: 'You',
    thinking: 'Thinking…',
    unreachable: 'The connection to the server was lost. The answer may still be generated.',
    unknown: 'Something went wrong.',
    again: 'Send again',
    options: 'Suggested answers',
    trace: 'View trace',
    silent: 'No answer.',
  },
  {
    you: '你',
    thinking: '思考中…',
    unreachable: '与服务器的连接已断开，回答可能仍在生成。',
    unknown: '出错了。',
    again: '重新发送',
    options: '可选的回答',
    trace: '查看运行详情',
    silent: '没有回答。',
  },
)

interface TurnViewProps {
  turn: ChatTurn
  /** Only its trace is read without being asked for. */
  isNewest: boolean
  agentName: string
  /** Undefined if read only. */
  onAnswer: ((text: string) => void) | undefined
  onAgain: ((turn: ChatTurn) => void) | undefined
  actions: ReplyActions
}

/** A user's message and the replies. */
export const TurnView = memo(function TurnView({
  turn,
  isNewest,
  agentName,
  onAnswer,
  onAgain,
  actions,
}: TurnViewProps) {
  const words = useWords()
  const replies = repliesShown(turn)
  const isGoingOn = isLive(turn)
  return (
    <div className="turn">
      {turn.userMessage && <UserMessage message={turn.userMessage} />}
      <section className="replies" aria-label={agentName} aria-busy={isGoingOn}>
        {replies.map((reply, at) => (
          <ReplyView
            key={reply.id}
            reply={reply}
            runId={turn.runId}
            isWhole={!isGoingOn}
            isLast={at === replies.length - 1}
            isNewest={isNewest}
            actions={actions}
          />
        ))}
        {isGoingOn && (
          <div className="thinking" role="status">
            <span className={replies.length > 0 ? 'visually-hidden' : 'soft'}>{words.thinking}</span>
            <i aria-hidden="true" />
          </div>
        )}
        {turn.phase === 'ended' && replies.length === 0 && <p className="soft">{words.silent}</p>}
        {turn.failure && <Failed turn={turn} onAgain={onAgain} />}
        {turn.options && turn.options.length > 0 && onAnswer && (
          <fieldset className="options" aria-label={words.options}>
            {turn.options.map(option => (
              <Button key={option} onClick={() => onAnswer(option)}>
                {option}
              </Button>
            ))}
          </fieldset>
        )}
      </section>
    </div>
  )
})

function UserMessage({ message }: { message: ChatMessage }) {
  const words = useWords()
  return (
    <section className="said" aria-label={words.you}>
      <MessageFiles fileIds={message.fileIds} />
      {message.content !== '' && (
        <div className="plain-text">
          {message.type === 'action' ? prettyAction(message.content) : message.content}
        </div>
      )}
    </section>
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
          {turn.runId !== undefined && <a href={`#/runs/${encodeURIComponent(turn.runId)}`}>{words.trace}</a>}
        </>
      }
      action={
        onAgain && (
          <Button size="small" onClick={() => onAgain(turn)}>
            {words.again}
          </Button>
        )
      }
    />
  )
}
