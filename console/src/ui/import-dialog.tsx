import { UploadOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import { Alert, App, Button, Form, Input, Radio } from 'antd'
import { useRef, useState } from 'react'
import { FileInput } from './file-input.tsx'
import { FormDialog } from './form-dialog.tsx'
import { defineWords } from './words.ts'
import './import-dialog.css'

const useWords = defineWords(
  {
    import: 'Import',
    format: 'Format',
    csv: 'CSV',
    jsonl: 'JSON lines',
    file: 'Choose a file',
    chosen: 'File to import',
    content: 'Text',
    needed: 'Choose a file or paste a text',
    skipped: (count: number) => (count === 1 ? '1 line was skipped' : `${count} lines were skipped`),
    line: (line: number, text: string) => `Line ${line}: ${text}`,
    more: (count: number) => `and ${count} more`,
    again: 'Correct these lines and import again. Lines that were added are not added twice.',
  },
  {
    import: '导入',
    format: '格式',
    csv: 'CSV',
    jsonl: 'JSON Lines',
    file: '选择文件',
    chosen: '要导入的文件',
    content: '内容',
    needed: '请选择文件或粘贴内容',
    skipped: (count: number) => `有 ${count} 行被跳过`,
    line: (line: number, text: string) => `第 ${line} 行：${text}`,
    more: (count: number) => `另有 ${count} 行`,
    again: '请改正这些行后再次导入，已添加的行不会重复添加。',
  },
)

export interface ImportFields {
  format: 'csv' | 'jsonl'
  content: string
}

export interface ImportResult {
  added: number
  /** Lines that could not be added, with the reason. */
  skipped?: readonly { line: number; text: string }[]
}

interface ImportDialogProps {
  title: string
  /** The id of the form in the page. */
  name: string
  /** Which columns or members the lines have. */
  about: string
  placeholder: string
  done(added: number): string
  send(fields: ImportFields): Promise<ImportResult>
  onImported(): Promise<unknown>
  onClose(): void
}

const maxShownLines = 100

/** Adds the lines of a file or a pasted text. It stays open while lines are skipped, so that they can be corrected. */
export function ImportDialog(props: ImportDialogProps) {
  const { title, name, about, placeholder, done, send, onImported, onClose } = props
  const words = useWords()
  const { message } = App.useApp()
  const [form] = Form.useForm<ImportFields>()
  const [skipped, setSkipped] = useState<NonNullable<ImportResult['skipped']>>([])
  const input = useRef<HTMLInputElement>(null)
  const saving = useMutation({
    mutationFn: send,
    onMutate: () => setSkipped([]),
    onSuccess: async ({ added, skipped: left = [] }) => {
      if (added > 0 || left.length === 0) message.success(done(added))
      setSkipped(left)
      await onImported()
      if (left.length === 0) onClose()
    },
  })
  const read = async ([file]: File[]): Promise<void> => {
    if (!file) return
    const format = /\.(jsonl|ndjson|json)$/i.test(file.name) ? 'jsonl' : 'csv'
    form.setFieldsValue({ format, content: await file.text() })
  }
  return (
    <FormDialog
      title={title}
      name={name}
      saving={saving}
      okText={words.import}
      form={form}
      initial={{ format: 'csv', content: '' }}
      onClose={onClose}
    >
      <p className="soft small">{about}</p>
      <FileInput ref={input} label={words.chosen} onFiles={read} />
      <Button icon={<UploadOutlined aria-hidden />} onClick={() => input.current?.click()}>
        {words.file}
      </Button>
      <Form.Item name="format" label={words.format} className="import-format">
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
          className="import-text"
          autoSize={{ minRows: 6, maxRows: 14 }}
          spellCheck={false}
          placeholder={placeholder}
        />
      </Form.Item>
      {skipped.length > 0 && (
        <Alert
          type="warning"
          showIcon
          role="alert"
          title={words.skipped(skipped.length)}
          description={
            <>
              <ul className="import-skipped">
                {skipped.slice(0, maxShownLines).map(({ line, text }) => (
                  <li key={line}>{words.line(line, text)}</li>
                ))}
                {skipped.length > maxShownLines && <li>{words.more(skipped.length - maxShownLines)}</li>}
              </ul>
              {words.again}
            </>
          }
        />
      )}
    </FormDialog>
  )
}
