import { useMutation } from '@tanstack/react-query'
import { Form, Input } from 'antd'
import { call } from '../../api/call.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/failure.tsx'
import type { Metadata } from '../../ui/uploads/upload-queue.ts'
import { defineWords } from '../../ui/words.ts'
import { useRefreshKnowledge } from './use-knowledge.ts'

const useWords = defineWords(
  {
    title: 'Paste text',
    add: 'Add document',
    cancel: 'Cancel',
    name: 'Name',
    nameHint: 'The extension determines the format: .md for Markdown, .csv for a table, .txt for plain text.',
    nameExample: 'notes.md',
    nameNeeded: 'Enter a name for the document',
    content: 'Text',
    contentNeeded: 'Enter some text',
  },
  {
    title: '粘贴文本',
    add: '添加文档',
    cancel: '取消',
    name: '名称',
    nameHint: '扩展名决定格式：.md 为 Markdown，.csv 为表格，.txt 为纯文本。',
    nameExample: '笔记.md',
    nameNeeded: '请填写文档名称',
    content: '文本',
    contentNeeded: '请粘贴或输入文本',
  },
)

interface PasteTextProps {
  knowledgeId: string
  metadata: Metadata
  open: boolean
  onClose: () => void
}

/** Adds a document from pasted text. */
export function PasteText({ knowledgeId, metadata, open, onClose }: PasteTextProps) {
  const words = useWords()
  const refresh = useRefreshKnowledge()
  const [form] = Form.useForm<{ name: string; content: string }>()
  const add = useMutation({
    mutationFn: ({ name, content }: { name: string; content: string }) =>
      call('POST /api/v1/knowledge/{knowledge_id}', {
        params: { knowledge_id: knowledgeId },
        body: {
          texts: [{ name: name.trim(), content }],
          ...(Object.keys(metadata).length > 0 && { metadata }),
        },
      }),
    onSuccess: () => {
      onClose()
      void refresh(knowledgeId)
    },
  })
  return (
    <Dialog
      open={open}
      title={words.title}
      okText={words.add}
      okButtonProps={{ loading: add.isPending, htmlType: 'submit', form: 'paste-text' }}
      cancelText={words.cancel}
      onCancel={onClose}
      afterClose={() => add.reset()}
      destroyOnHidden
      width={680}
    >
      <Form
        form={form}
        name="paste-text"
        layout="vertical"
        preserve={false}
        onFinish={values => add.mutate(values)}
      >
        <Form.Item
          name="name"
          label={words.name}
          extra={words.nameHint}
          rules={[{ required: true, whitespace: true, message: words.nameNeeded }]}
        >
          <Input maxLength={255} placeholder={words.nameExample} autoFocus autoComplete="off" />
        </Form.Item>
        <Form.Item
          name="content"
          label={words.content}
          rules={[{ required: true, whitespace: true, message: words.contentNeeded }]}
        >
          <Input.TextArea autoSize={{ minRows: 8, maxRows: 18 }} maxLength={10_000_000} />
        </Form.Item>
      </Form>
      {add.isError && <Failure error={add.error} />}
    </Dialog>
  )
}
