import { CloseOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Checkbox, Input, Radio } from 'antd'
import { useRef } from 'react'
import { flushSync } from 'react-dom'
import { Field } from '../../../ui/tools/field.tsx'
import { defineWords } from '../../../ui/words.ts'
import { AvatarFields } from './avatar-fields.tsx'
import { FieldGroup, type PartProps, TextField } from './field.tsx'

const useWords = defineWords(
  {
    title: 'General',
    name: 'Name',
    intro: 'Description',
    introHelp: 'One or two sentences that tell users what the agent does.',
    access: 'Access',
    private: 'Private',
    privateHelp: 'Chatting requires a token with permission to run, for example one created for your app.',
    public: 'Public',
    publicHelp:
      'Anyone who knows its ID can chat without a token, at your model’s expense. They see its name, greeting and answers, never its settings.',
  },
  {
    title: '基本信息',
    name: '名称',
    intro: '简介',
    introHelp: '用一两句话告诉用户它能做什么。',
    access: '访问权限',
    private: '私有',
    privateHelp: '需要带有运行权限的令牌，例如为你的应用创建的令牌。',
    public: '公开',
    publicHelp:
      '任何知道它 ID 的人都可以不带令牌与它对话，并消耗你的模型额度。他们只能看到名称、开场白和回答，看不到设置。',
  },
)

export function IdentityFields({ draft, edit, isDisabled }: PartProps) {
  const words = useWords()
  return (
    <FieldGroup title={words.title}>
      <AvatarFields {...{ draft, edit, isDisabled }}>
        <Field label={words.name}>
          {id => (
            <Input
              id={id}
              maxLength={100}
              disabled={isDisabled}
              value={draft.name}
              onChange={event => edit({ name: event.target.value })}
            />
          )}
        </Field>
      </AvatarFields>
      <Field label={words.intro} help={words.introHelp}>
        {id => (
          <Input.TextArea
            id={id}
            autoSize={{ minRows: 1, maxRows: 6 }}
            maxLength={2000}
            disabled={isDisabled}
            value={draft.intro}
            onChange={event => edit({ intro: event.target.value })}
          />
        )}
      </Field>
      <div className="agent-field">
        <span className="agent-field-label">{words.access}</span>
        <Radio.Group
          className="access-choice"
          aria-label={words.access}
          disabled={isDisabled}
          value={draft.access}
          onChange={event => edit({ access: event.target.value })}
        >
          {(['private', 'public'] as const).map(access => (
            <Radio key={access} value={access}>
              {words[access]}
              <span className="soft small">{words[`${access}Help`]}</span>
            </Radio>
          ))}
        </Radio.Group>
      </div>
    </FieldGroup>
  )
}

const useOpeningFieldsWords = defineWords(
  {
    title: 'Conversation opener',
    prologue: 'Greeting',
    prologueHelp: 'Shown before the first message.',
    questions: 'Suggested questions',
    question: (number: number) => `Suggested question ${number}`,
    remove: (number: number) => `Remove question ${number}`,
    add: 'Add a question',
    next: 'Suggest next questions',
    nextHelp: 'After each answer a model proposes three questions. This costs a short model call per answer.',
  },
  {
    title: '对话开场',
    prologue: '开场白',
    prologueHelp: '在第一条消息之前显示。',
    questions: '推荐问题',
    question: (number: number) => `推荐问题 ${number}`,
    remove: (number: number) => `移除问题 ${number}`,
    add: '添加问题',
    next: '推荐后续问题',
    nextHelp: '每次回答后由模型给出三个可以继续问的问题，每次回答多一次简短的模型调用。',
  },
)

const maxQuestions = 20

export function OpeningFields({ draft, edit, isDisabled }: PartProps) {
  const words = useOpeningFieldsWords()
  const { questions } = draft
  const list = useRef<HTMLDivElement>(null)
  const focusQuestion = (at: number): void => {
    const controls = list.current?.querySelectorAll<HTMLElement>('input')
    ;(controls?.[Math.min(at, controls.length - 1)] ?? list.current?.querySelector('button'))?.focus()
  }
  const change = (next: string[], at: number): void => {
    flushSync(() => edit({ questions: next }))
    focusQuestion(at)
  }
  const add = (): void => {
    if (questions.length < maxQuestions) change([...questions, ''], questions.length)
  }
  return (
    <FieldGroup title={words.title}>
      <TextField
        label={words.prologue}
        help={words.prologueHelp}
        text={draft.prologue}
        onText={prologue => edit({ prologue })}
        isReadOnly={isDisabled}
        maxLength={4000}
      />
      <div className="agent-field" ref={list}>
        <span className="agent-field-label">{words.questions}</span>
        {questions.map((question, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a question is known by its place and nothing else
          <div key={at} className="agent-row">
            <Input
              maxLength={500}
              disabled={isDisabled}
              aria-label={words.question(at + 1)}
              value={question}
              onChange={event => edit({ questions: questions.with(at, event.target.value) })}
              onPressEnter={add}
            />
            <Button
              type="text"
              icon={<CloseOutlined />}
              disabled={isDisabled}
              aria-label={words.remove(at + 1)}
              onClick={() =>
                change(
                  questions.filter((_, other) => other !== at),
                  at,
                )
              }
            />
          </div>
        ))}
        <Button
          type="dashed"
          icon={<PlusOutlined aria-hidden />}
          disabled={isDisabled || questions.length >= maxQuestions}
          onClick={add}
        >
          {words.add}
        </Button>
      </div>
      <div>
        <Checkbox
          disabled={isDisabled}
          checked={draft.suggestsQuestions}
          onChange={event => edit({ suggestsQuestions: event.target.checked })}
        >
          {words.next}
        </Checkbox>
        <p className="soft small">{words.nextHelp}</p>
      </div>
    </FieldGroup>
  )
}
