import { Form, Input } from 'antd'
import { defineWords } from '../../ui/words.ts'

const useWords = defineWords(
  {
    name: 'Name',
    needed: 'Give it a name',
    example: 'Handbook',
    description: 'Description',
    hint: 'What it holds. Agents read this to decide when to look here.',
  },
  {
    name: '名称',
    needed: '请填写名称',
    example: '员工手册',
    description: '描述',
    hint: '说明其中有什么内容；智能体据此判断何时来这里查找。',
  },
)

export function NameFields({ autoFocus = false }: { autoFocus?: boolean }) {
  const words = useWords()
  return (
    <>
      <Form.Item
        name="name"
        label={words.name}
        rules={[{ required: true, whitespace: true, message: words.needed }]}
      >
        <Input maxLength={100} placeholder={words.example} autoFocus={autoFocus} />
      </Form.Item>
      <Form.Item name="description" label={words.description} extra={words.hint}>
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} maxLength={2000} />
      </Form.Item>
    </>
  )
}
