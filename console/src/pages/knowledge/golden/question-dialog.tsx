import { useMutation } from '@tanstack/react-query'
import { App, Form, Input } from 'antd'
import { call } from '../../../api/call.ts'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { defineWords } from '../../../ui/words.ts'
import { DocumentsSelect } from '../document-select.tsx'
import { type KnowledgeBase, useRefreshKnowledge } from '../use-knowledge.ts'
import type { GoldenQuestion } from './golden-data.ts'

const useWords = defineWords(
  {
    add: 'Add golden question',
    change: 'Edit golden question',
    question: 'Question',
    questionHint: 'As a user would ask it.',
    questionNeeded: 'Enter the question',
    documents: 'Expected documents',
    documentsHint: 'A passage of one of them must be among the results.',
    documentsNeeded: 'Choose at least one document',
    text: 'Text of the passage (optional)',
    textHint:
      'The passage must contain this text. Without it, any passage of the documents counts. Case and white space do not matter.',
    added: 'The golden question was added.',
    saved: 'Saved.',
  },
  {
    add: '添加标准问题',
    change: '编辑标准问题',
    question: '问题',
    questionHint: '按用户的提问方式填写。',
    questionNeeded: '请填写问题',
    documents: '预期的文档',
    documentsHint: '搜索结果中必须有其中一个文档的段落。',
    documentsNeeded: '请至少选择一个文档',
    text: '段落中的文字（可选）',
    textHint: '段落必须包含这段文字；不填则文档的任何段落都算。不区分大小写和空白。',
    added: '已添加标准问题。',
    saved: '已保存。',
  },
)

export type QuestionDraft = Pick<GoldenQuestion, 'question' | 'documents' | 'expected_text'> & { id?: string }

interface Fields {
  question: string
  file_ids: string[]
  expected_text: string
}

interface QuestionDialogProps {
  base: KnowledgeBase
  draft: QuestionDraft
  onClose(): void
}

/** A golden question: a new one, or one to change. */
export function QuestionDialog({ base, draft, onClose }: QuestionDialogProps) {
  const words = useWords()
  const { message } = App.useApp()
  const refresh = useRefreshKnowledge()
  const knowledgeId = base.knowledge_id
  const isNew = draft.id === undefined
  // A document that was removed cannot be expected any longer.
  const documents = draft.documents.filter(({ name }) => name !== null)
  const saving = useMutation<unknown, Error, Fields>({
    mutationFn: body =>
      draft.id === undefined
        ? call('POST /api/v1/knowledge/{knowledge_id}/golden/create', {
            params: { knowledge_id: knowledgeId },
            body,
          })
        : call('POST /api/v1/knowledge/{knowledge_id}/golden/questions/{question_id}/update', {
            params: { knowledge_id: knowledgeId, question_id: draft.id },
            body,
          }),
    onSuccess: async () => {
      message.success(isNew ? words.added : words.saved)
      await refresh(knowledgeId)
      onClose()
    },
  })
  return (
    <FormDialog
      title={isNew ? words.add : words.change}
      name="golden-question"
      saving={saving}
      initial={{
        question: draft.question,
        file_ids: documents.map(({ file_id }) => file_id),
        expected_text: draft.expected_text,
      }}
      onClose={onClose}
    >
      <Form.Item
        name="question"
        label={words.question}
        extra={words.questionHint}
        rules={[{ required: true, whitespace: true, message: words.questionNeeded }]}
      >
        <Input.TextArea autoFocus maxLength={500} autoSize={{ minRows: 1, maxRows: 5 }} />
      </Form.Item>
      <Form.Item
        name="file_ids"
        label={words.documents}
        extra={words.documentsHint}
        rules={[{ required: true, message: words.documentsNeeded }]}
      >
        <DocumentsSelect base={base} known={documents} max={20} />
      </Form.Item>
      <Form.Item name="expected_text" label={words.text} extra={words.textHint}>
        <Input.TextArea maxLength={1000} autoSize={{ minRows: 1, maxRows: 6 }} />
      </Form.Item>
    </FormDialog>
  )
}
