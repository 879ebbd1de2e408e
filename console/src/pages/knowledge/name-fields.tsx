import { Form, Input } from 'antd'
import { defineWords } from '../../ui/words.ts'

const useWords = defineWords(
  {
    name: 'Name',
    needed: 'Enter a name',
    example: 'Handbook',
    description: 'Description',
    hint: 'What it contains. The list can be searched by it.',
  },
  {
    name: '名称',
    needed: '请填写名称',
    example: '员工手册',
    description: '描述',
    hint: '说明其中有什么内容；列表也可按描述搜索。',
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
