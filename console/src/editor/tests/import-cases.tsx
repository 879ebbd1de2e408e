import { UploadOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import { App, Button, Form, Input, Radio } from 'antd'
import { useRef } from 'react'
import { call } from '../../api/call.ts'
import { FileInput } from '../../ui/file-input.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { defineWords } from '../../ui/words.ts'
import { useRefreshTests } from './test-set-data.ts'
import './tests.css'

const useWords = defineWords(
  {
    title: 'Import test cases',
    format: 'Format',
    csv: 'CSV',
    jsonl: 'JSON lines',
    file: 'Choose a file',
    chosen: 'File to import',
    content: 'Text',
    needed: 'Choose a file or paste a text',
    about:
      'Columns or fields: question, expected, check (contains, equals, regex, json_schema or judge; default: contains) and name. Every other column is an input of the run.',
    done: (count: number) => (count === 1 ? '1 case was added.' : `${count} cases were added.`),
  },
  {
    title: '导入测试用例',
    format: '格式',
    csv: 'CSV',
    jsonl: 'JSON Lines',
    file: '选择文件',
    chosen: '要导入的文件',
    content: '内容',
    needed: '请选择文件或粘贴内容',
    about:
      '列或字段：question（问题）、expected（期望内容）、check（contains、equals、regex、json_schema 或 judge，默认 contains）和 name（名称）。其他列都作为运行的输入。',
    done: (count: number) => `已添加 ${count} 个用例。`,
  },
)

interface Fields {
  format: 'csv' | 'jsonl'
  content: string
}

/** Adds the cases of a file or a pasted text. */
export function ImportCases({ setId, onClose }: { setId: string; onClose(): void }) {
  const words = useWords()
  const { message } = App.useApp()
  const refresh = useRefreshTests()
  const [form] = Form.useForm<Fields>()
  const input = useRef<HTMLInputElement>(null)
  const saving = useMutation({
    mutationFn: (fields: Fields) => call('POST /api/v1/test/importCases', { body: { id: setId, ...fields } }),
    onSuccess: async ({ added }) => {
      message.success(words.done(added))
      await refresh()
      onClose()
    },
  })
  const read = async ([file]: File[]): Promise<void> => {
    if (!file) return
    const format = /\.(jsonl|ndjson|json)$/i.test(file.name) ? 'jsonl' : 'csv'
    form.setFieldsValue({ format, content: await file.text() })
  }
  return (
    <FormDialog
      title={words.title}
      name="import-cases"
      saving={saving}
      form={form}
      initial={{ format: 'csv', content: '' }}
      onClose={onClose}
    >
      <p className="soft small">{words.about}</p>
      <FileInput ref={input} label={words.chosen} onFiles={read} />
      <Button icon={<UploadOutlined aria-hidden />} onClick={() => input.current?.click()}>
        {words.file}
      </Button>
      <Form.Item name="format" label={words.format} className="test-format">
        <Radio.Group
          aria-label={words.format}
          options={(['csv', 'jsonl'] as const).map(value => ({ value, label: words[value] }))}
        />
      </Form.Item>
      <Form.Item
        name="content"
        label={words.content}
        rules={[{ required: true, whitespace: true, message: words.needed }]}
      >
        <Input.TextArea
          className="test-code"
          autoSize={{ minRows: 6, maxRows: 14 }}
          spellCheck={false}
          placeholder={'question,expected\nHow many days of leave?,20 days'}
        />
      </Form.Item>
    </FormDialog>
  )
}
