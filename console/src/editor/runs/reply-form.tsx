import { Button, Input, type InputRef } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useMay } from '../../session/use-session.ts'
import { offerFocus } from '../../ui/offer-focus.ts'
import { defineWords } from '../../ui/words.ts'

const useWords = defineWords(
  {
    asks: 'The run is waiting for your answer',
    options: 'Choose an answer',
    answer: 'Your answer',
    other: 'Or type your own answer',
    send: 'Send',
    conversation: 'This run belongs to a conversation: the next message there is its answer.',
    viewer: 'Your role is view only. A user who can run workflows has to answer.',
  },
  {
    asks: '运行正在等待你的回答',
    options: '选择一个回答',
    answer: '你的回答',
    other: '或输入其他回答',
    send: '发送',
    conversation: '这次运行属于一个对话：在对话中发送的下一条消息就是回答。',
    viewer: '你的角色只能查看，需由有运行权限的人回答。',
  },
)

interface ReplyFormProps {
  options: readonly string[]
  /** The run belongs to a conversation, where it is answered instead. */
  isChat: boolean
  onReply(answer: string): void
}

/** The answer form of a waiting run: its options, and free text. */
export function ReplyForm({ options, isChat, onReply }: ReplyFormProps) {
  const words = useWords()
  const may = useMay()
  const [answer, setAnswer] = useState('')
  const field = useRef<InputRef>(null)
  useEffect(() => offerFocus(field.current?.input), [])
  if (isChat || !may.write)
    return <p className="run-asks soft small">{isChat ? words.conversation : words.viewer}</p>
  return (
    <form
      className="run-asks"
      aria-label={words.asks}
      onSubmit={event => {
        event.preventDefault()
        if (answer.trim() !== '') onReply(answer)
      }}
    >
      {options.length > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset inside of a form of one line only adds a frame
        <div className="run-options" role="group" aria-label={words.options}>
          {options.map(option => (
            <Button key={option} onClick={() => onReply(option)}>
              {option}
            </Button>
          ))}
        </div>
      )}
      <div className="run-own-words">
        <Input
          ref={field}
          value={answer}
          onChange={event => setAnswer(event.target.value)}
          aria-label={words.answer}
          placeholder={options.length > 0 ? words.other : words.answer}
        />
        <Button type="primary" htmlType="submit" disabled={answer.trim() === ''}>
          {words.send}
        </Button>
      </div>
    </form>
  )
}
