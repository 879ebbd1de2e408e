import { CloseOutlined, PaperClipOutlined } from '@ant-design/icons'
import { Button, Progress } from 'antd'
import { useRef } from 'react'
import { useFailureWords } from '../../ui/failure-words.ts'
import { FileInput } from '../../ui/file-input.tsx'
import { defineWords } from '../../ui/words.ts'
import type { Attachment, useAttachments } from './use-attachments.ts'

const useWords = defineWords(
  {
    attach: 'Attach files',
    choose: 'Files to attach',
    files: 'Attached files',
    remove: (name: string) => `Remove ${name}`,
    progress: (name: string) => `Upload of ${name}`,
  },
  {
    attach: '添加文件',
    choose: '要添加的文件',
    files: '已添加的文件',
    remove: (name: string) => `移除 ${name}`,
    progress: (name: string) => `${name} 的上传进度`,
  },
)

/** The button that takes files. */
export function AttachButton({ onFiles, disabled }: { onFiles(files: File[]): void; disabled: boolean }) {
  const words = useWords()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <FileInput ref={input} label={words.choose} onFiles={onFiles} />
      <Button
        type="text"
        icon={<PaperClipOutlined aria-hidden />}
        aria-label={words.attach}
        title={words.attach}
        disabled={disabled}
        onClick={() => input.current?.click()}
      />
    </>
  )
}

/** What was attached, and how far each upload is. */
export function AttachedFiles({ attachments, remove }: ReturnType<typeof useAttachments>) {
  const words = useWords()
  if (attachments.length === 0) return null
  return (
    <ul className="attached" aria-label={words.files}>
      {attachments.map(each => (
        <li key={each.key}>
          <AttachedFile attachment={each} />
          <Button
            type="text"
            size="small"
            icon={<CloseOutlined aria-hidden />}
            aria-label={words.remove(each.name)}
            title={words.remove(each.name)}
            onClick={() => remove(each.key)}
          />
        </li>
      ))}
    </ul>
  )
}

function AttachedFile({ attachment }: { attachment: Attachment }) {
  const words = useWords()
  const wordsOf = useFailureWords()
  const { name, progress, fileId, error } = attachment
  return (
    <div className="attached-file">
      <span>{name}</span>
      {error !== undefined && (
        <span className="attached-error small" role="alert">
          {wordsOf(error).title}
        </span>
      )}
      {error === undefined && fileId === undefined && (
        <Progress
          percent={Math.round(progress * 100)}
          size="small"
          showInfo={false}
          aria-label={words.progress(name)}
        />
      )}
    </div>
  )
}
