import { CloseOutlined, FileOutlined, ReloadOutlined } from '@ant-design/icons'
import { Button, Progress } from 'antd'
import { defineWords } from '../../../ui/words.ts'
import type { Attachment } from './use-attachments.ts'

const useWords = defineWords(
  {
    files: 'Files to send',
    remove: (name: string) => `Remove ${name}`,
    retry: (name: string) => `Upload ${name} again`,
    uploading: (name: string) => `Uploading ${name}`,
  },
  {
    files: '待发送的文件',
    remove: (name: string) => `移除 ${name}`,
    retry: (name: string) => `重新上传 ${name}`,
    uploading: (name: string) => `正在上传 ${name}`,
  },
)

interface AttachmentStripProps {
  attachments: readonly Attachment[]
  onRemove: (attachment: Attachment) => void
  onRetry: (attachment: Attachment) => void
}

export function AttachmentStrip({ attachments, onRemove, onRetry }: AttachmentStripProps) {
  const words = useWords()
  if (attachments.length === 0) return null
  return (
    <ul className="attachments" aria-label={words.files}>
      {attachments.map(attachment => (
        <li key={attachment.key} className={attachment.problem === undefined ? undefined : 'failed'}>
          {attachment.preview === undefined ? <FileOutlined /> : <img src={attachment.preview} alt="" />}
          <span className="attachment-name" title={attachment.file.name}>
            {attachment.file.name}
            {attachment.problem !== undefined && <em role="alert">{attachment.problem}</em>}
            {attachment.problem === undefined && !attachment.uploaded && (
              <Progress
                percent={Math.round(attachment.progress * 100)}
                size="small"
                showInfo={false}
                aria-label={words.uploading(attachment.file.name)}
              />
            )}
          </span>
          {attachment.problem !== undefined && (
            <Button
              type="text"
              size="small"
              icon={<ReloadOutlined />}
              aria-label={words.retry(attachment.file.name)}
              title={words.retry(attachment.file.name)}
              onClick={() => onRetry(attachment)}
            />
          )}
          <Button
            type="text"
            size="small"
            icon={<CloseOutlined />}
            aria-label={words.remove(attachment.file.name)}
            onClick={() => onRemove(attachment)}
          />
        </li>
      ))}
    </ul>
  )
}
