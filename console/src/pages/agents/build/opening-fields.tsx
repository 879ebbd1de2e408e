import { CloseOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Input } from 'antd'
import { defineWords } from '../../../ui/words.ts'
import { Field, FieldGroup } from './field.tsx'
import type { PartProps } from './part-props.ts'

const useWords = defineWords(
  {
    title: 'Conversation opener',
    prologue: 'Greeting',
    prologueHelp: 'Shown before the first message.',
    questions: 'Suggested questions',
    question: (number: number) => `Suggested question ${number}`,
    remove: (number: number) => `Remove question ${number}`,
    add: 'Add a question',
  },
  {
    title: '对话开场',
    prologue: '开场白',
    prologueHelp: '在第一条消息之前显示。',
    questions: '推荐问题',
    question: (number: number) => `推荐问题 ${number}`,
    remove: (number: number) => `移除问题 ${number}`,
    add: '添加问题',
  },
)

const mostQuestions = 20

export function OpeningFields({ draft, edit, isDisabled }: PartProps) {
  const words = useWords()
  const { questions } = draft
  return (
    <FieldGroup title={words.title}>
      <Field label={words.prologue} help={words.prologueHelp}>
        {id => (
          <Input.TextArea
            id={id}
            autoSize={{ minRows: 2, maxRows: 8 }}
            maxLength={4000}
            disabled={isDisabled}
            value={draft.prologue}
            onChange={event => edit({ prologue: event.target.value })}
          />
        )}
      </Field>
      <div className="field">
        <span className="field-label">{words.questions}</span>
        {questions.map((question, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a question is known by its place and nothing else
          <div key={at} className="row">
            <Input
              maxLength={500}
              disabled={isDisabled}
              aria-label={words.question(at + 1)}
              value={question}
              onChange={event => edit({ questions: questions.with(at, event.target.value) })}
            />
            <Button
              type="text"
              icon={<CloseOutlined />}
              disabled={isDisabled}
              aria-label={words.remove(at + 1)}
              onClick={() => edit({ questions: questions.filter((_, other) => other !== at) })}
            />
          </div>
        ))}
        <Button
          type="dashed"
          icon={<PlusOutlined />}
          disabled={isDisabled || questions.length >= mostQuestions}
          onClick={() => edit({ questions: [...questions, ''] })}
        >
          {words.add}
        </Button>
      </div>
    </FieldGroup>
  )
}
