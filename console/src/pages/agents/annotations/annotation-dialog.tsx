import { useMutation, useQueryClient } from '@tanstack/react-query'
import { App, Form, Input } from 'antd'
import { call } from '../../../api/call.ts'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { defineWords } from '../../../ui/words.ts'

const useWords = defineWords(
  {
    add: 'New annotation',
    title: 'Use this answer next time',
    edit: 'Edit annotation',
    about: 'The agent gives this answer to the same question at once, without a model.',
    question: 'Question',
    answer: 'Answer',
    questionNeeded: 'Enter a question',
    answerNeeded: 'Enter an answer',
    saved: 'The agent will use this answer.',
  },
  {
    add: '新建标注',
    title: '下次使用这个回答',
    edit: '编辑标注',
    about: '再次遇到相同的问题时，直接给出这个回答，不调用模型。',
    question: '问题',
    answer: '回答',
    questionNeeded: '请填写问题',
    answerNeeded: '请填写回答',
    saved: '智能体将使用这个回答。',
  },
)

export interface AnnotationDraft {
  id?: string
  question: string
  answer: string
}

interface AnnotationDialogProps {
  agentId: string
  draft: AnnotationDraft
  onClose(): void
}

/** Sets the answer to a question: a new one, or that of an annotation. */
export function AnnotationDialog({ agentId, draft, onClose }: AnnotationDialogProps) {
  const words = useWords()
  const { message } = App.useApp()
  const queries = useQueryClient()
  const saving = useMutation<unknown, Error, Omit<AnnotationDraft, 'id'>>({
    mutationFn: ({ question, answer }) =>
      draft.id === undefined
        ? call('POST /api/v1/annotation/create', { body: { agent_id: agentId, question, answer } })
        : call('POST /api/v1/annotation/update', { body: { id: draft.id, question, answer } }),
    onSuccess: async () => {
      message.success(words.saved)
      await queries.invalidateQueries({ queryKey: ['annotations', agentId] })
      onClose()
    },
  })
  const { question, answer } = draft
  const rules = (message: string) => [{ required: true, whitespace: true, message }]
  const isEmpty = question === ''
  const title = draft.id !== undefined ? words.edit : isEmpty ? words.add : words.title
  return (
    <FormDialog
      title={title}
      name="annotation"
      saving={saving}
      initial={{ question, answer }}
      onClose={onClose}
    >
      <p className="soft small">{words.about}</p>
      <Form.Item name="question" label={words.question} rules={rules(words.questionNeeded)}>
        <Input.TextArea autoFocus maxLength={2000} autoSize={{ minRows: 1, maxRows: 6 }} />
      </Form.Item>
      <Form.Item name="answer" label={words.answer} rules={rules(words.answerNeeded)}>
        <Input.TextArea maxLength={20_000} autoSize={{ minRows: 3, maxRows: 14 }} />
      </Form.Item>
    </FormDialog>
  )
}
