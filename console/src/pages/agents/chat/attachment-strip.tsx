import { CloseOutlined, FileOutlined } from '@ant-design/icons'
import { Button, Progress } from 'antd'
import { defineWords } from '../../../ui/words.ts'
import type { Attachment } from './use-attachments.ts'

const useWords = defineWords(
  {
    files: 'Files to send',
    remove: (name: string) => `Remove ${name}`,
    uploading: (name: string) => `Uploading ${name}`,
  },
  {
    files: '待发送的文件',
    remove: (name: string) => `移除 ${name}`,
    uploading: (name: string) => `正在上传 ${name}`,
  },
)

interface AttachmentStripProps {
  attachments: readonly Attachment[]
  onRemove: (attachment: Attachment) => void
}

export function AttachmentStrip({ attachments, onRemove }: AttachmentStripProps) {
  const words = useWords()
  if (attachments.length === 0) return null
  return (
    <ul className="attachments" aria-label={words.files}>
      {attachments.map(attachment => (
        <li key={attachment.key} className={attachment.problem === undefined ? undefined : 'failed'}>
          {attachment.preview === undefined ? <FileOutlined /> : <img src={attachment.preview} alt="" />}
          <span className="attachment-name" title={attachment.name}>
            {attachment.name}
            {attachment.problem !== undefined && <em role="alert">{attachment.problem}</em>}
            {attachment.problem === undefined && !attachment.uploaded && (
              <Progress
                percent={Math.round(attachment.progress * 100)}
                size="small"
                showInfo={false}
                aria-label={words.uploading(attachment.name)}
              />
            )}
          </span>
          <Button
            type="text"
            size="small"
            icon={<CloseOutlined />}
            aria-label={words.remove(attachment.name)}
            onClick={() => onRemove(attachment)}
          />
        </li>
      ))}
    </ul>
  )
}
