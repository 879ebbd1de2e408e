import { UploadOutlined } from '@ant-design/icons'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Alert, App, Button, Form, Input, Radio } from 'antd'
import { type ReactNode, useRef, useState } from 'react'
import { Failure } from './failure.tsx'
import { FileInput } from './file-input.tsx'
import { FormDialog } from './form-dialog.tsx'
import { useDebounced } from './use-debounced.ts'
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
    needed: 'Choose a file or paste text',
    skipped: (count: number) => (count === 1 ? '1 line was skipped' : `${count} lines were skipped`),
    refused: (count: number) => (count === 1 ? '1 line will be left out' : `${count} lines will be left out`),
    checking: 'Checking…',
    line: (line: number, text: string) => `Line ${line}: ${text}`,
    more: (count: number) => `and ${count} more`,
    again: 'Correct these lines and import again. Lines that were already added are skipped.',
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
    refused: (count: number) => `有 ${count} 行不会导入`,
    checking: '正在检查…',
    line: (line: number, text: string) => `第 ${line} 行：${text}`,
    more: (count: number) => `另有 ${count} 行`,
    again: '请改正这些行后再次导入，已添加的行不会重复添加。',
  },
)

interface ImportFields {
  format: 'csv' | 'jsonl'
  content: string
}

export interface ImportResult {
  added: number
  /** Objects that existed before. */
  updated?: number
  /** Lines that could not be added, with the reason. */
  skipped?: readonly { line: number; text: string }[]
}

interface ImportDialogProps {
  title: string
  /** The id of the form in the page. */
  name: string
  /** Describes the columns or members of the lines. */
  about: string
  placeholder: string
  done(added: number, updated: number): string
  /** Checks a text before it is imported, and describes what would happen. */
  preview?: {
    check(fields: ImportFields, signal: AbortSignal): Promise<ImportResult>
    expected(added: number, updated: number): string
  }
  send(fields: ImportFields): Promise<ImportResult>
  onImported(): Promise<unknown>
  onClose(): void
}

const maxShownLines = 100

/** Adds the lines of a file or a pasted text. It stays open while lines are skipped, so that they can be corrected. */
export function ImportDialog(props: ImportDialogProps) {
  const { title, name, about, placeholder, done, preview, send, onImported, onClose } = props
  const words = useWords()
  const { message } = App.useApp()
  const [form] = Form.useForm<ImportFields>()
  const [skipped, setSkipped] = useState<NonNullable<ImportResult['skipped']>>([])
  const input = useRef<HTMLInputElement>(null)
  const saving = useMutation({
    mutationFn: send,
    onMutate: () => setSkipped([]),
    onSuccess: async ({ added, updated = 0, skipped: left = [] }) => {
      if (added + updated > 0 || left.length === 0) message.success(done(added, updated))
      if (!preview) setSkipped(left)
      await onImported()
      // A preview has shown the skipped lines before.
      if (left.length === 0 || preview) onClose()
    },
  })
  const checked = usePreview(name, preview, Form.useWatch([], form))
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
      isReady={preview === undefined || checked.canImport}
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
      {preview && checked.isChecking && <p className="soft">{words.checking}</p>}
      {preview && checked.error && <Failure error={checked.error} />}
      {preview && checked.result && (
        <div role="status" className="import-preview">
          <Alert
            type="info"
            showIcon
            title={preview.expected(checked.result.added, checked.result.updated ?? 0)}
          />
          <SkippedLines lines={checked.result.skipped ?? []} title={words.refused} />
        </div>
      )}
      <SkippedLines lines={skipped} title={words.skipped}>
        {words.again}
      </SkippedLines>
    </FormDialog>
  )
}

interface SkippedLinesProps {
  lines: NonNullable<ImportResult['skipped']>
  title(count: number): string
  children?: ReactNode
}

function SkippedLines({ lines, title, children }: SkippedLinesProps) {
  const words = useWords()
  if (lines.length === 0) return null
  return (
    <Alert
      type="warning"
      showIcon
      role="alert"
      title={title(lines.length)}
      description={
        <>
          <ul className="import-skipped">
            {lines.slice(0, maxShownLines).map(({ line, text }) => (
              <li key={line}>{words.line(line, text)}</li>
            ))}
            {lines.length > maxShownLines && <li>{words.more(lines.length - maxShownLines)}</li>}
          </ul>
          {children}
        </>
      }
    />
  )
}

/** A preview of the import, updated while the text is typed or after a file was chosen. */
function usePreview(
  name: string,
  preview: ImportDialogProps['preview'],
  { format = 'csv', content = '' }: Partial<ImportFields> = {},
) {
  const typed = `${format}:${content}`
  const rested = useDebounced(typed)
  const isEmpty = content.trim() === ''
  const query = useQuery({
    queryKey: ['import-preview', name, typed],
    queryFn: ({ signal }) => preview!.check({ format, content }, signal),
    enabled: preview !== undefined && !isEmpty && rested === typed,
    gcTime: 0,
    retry: false,
  })
  const { data } = query
  return {
    isChecking: !isEmpty && query.isPending,
    error: isEmpty ? undefined : query.error,
    result: isEmpty ? undefined : data,
    canImport: data !== undefined && data.added + (data.updated ?? 0) > 0,
  }
}
