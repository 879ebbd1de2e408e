import { InboxOutlined } from '@ant-design/icons'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Alert, Input, Modal, Upload } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { parseExact } from '../../api/exact-json.ts'
import { Failure } from '../../ui/failure.tsx'
import { navigate, pathTo } from '../../ui/router.ts'
import { defineWords } from '../../ui/words.ts'

const useWords = defineWords(
  {
    title: 'Import a workflow',
    drop: 'Drop an exported file here, or click to choose one',
    paste: 'Or paste its JSON',
    go: 'Import',
    wrong: 'This is not a workflow in JSON. Use the complete exported file.',
  },
  {
    title: '导入工作流',
    drop: '把导出的文件拖到这里，或点击选择',
    paste: '或粘贴 JSON 内容',
    go: '导入',
    wrong: '这不是工作流的 JSON。请使用导出得到的完整文件。',
  },
)

/** What export gave, or a bare graph; undefined where it is neither. */
function readDocument(text: string): object | undefined {
  try {
    const read: unknown = parseExact(text)
    if (typeof read !== 'object' || read === null || Array.isArray(read)) return undefined
    if ('document' in read && typeof read.document === 'object') return read.document ?? undefined
    return 'nodes' in read ? { workflow: read } : read
  } catch {
    return undefined
  }
}

export function ImportDialog({ open, onClose }: { open: boolean; onClose(): void }) {
  const words = useWords()
  const queries = useQueryClient()
  const [text, setText] = useState('')
  const importing = useMutation({
    mutationFn: (given: object) =>
      call('POST /api/v1/workflow/import', {
        body: 'format' in given ? { document: given } : { ...given },
      }),
    onSuccess: async ({ id }) => {
      close()
      await queries.invalidateQueries({ queryKey: ['workflows'] })
      navigate(pathTo('workflows', id))
    },
  })
  const close = (): void => {
    setText('')
    importing.reset()
    onClose()
  }
  const given = readDocument(text)
  return (
    <Modal
      open={open}
      title={words.title}
      okText={words.go}
      okButtonProps={{ disabled: given === undefined }}
      confirmLoading={importing.isPending}
      onOk={() => given && importing.mutate(given)}
      onCancel={close}
    >
      <div className="import-form">
        <Upload.Dragger
          accept=".json,application/json"
          showUploadList={false}
          beforeUpload={async file => {
            setText(await file.text())
            return Upload.LIST_IGNORE
          }}
        >
          <p className="import-icon">
            <InboxOutlined />
          </p>
          <p>{words.drop}</p>
        </Upload.Dragger>
        <Input.TextArea
          aria-label={words.paste}
          placeholder={words.paste}
          rows={6}
          value={text}
          onChange={event => setText(event.target.value)}
        />
        {text !== '' && given === undefined && <Alert type="warning" showIcon title={words.wrong} />}
        {importing.isError && <Failure error={importing.error} />}
      </div>
    </Modal>
  )
}
