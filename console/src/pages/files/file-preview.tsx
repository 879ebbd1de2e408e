import { DeleteOutlined, DownloadOutlined } from '@ant-design/icons'
import { Button, Drawer } from 'antd'
import { saveFile } from '../../api/save-file.ts'
import { useMay } from '../../session/use-session.ts'
import { ByteSize } from '../../ui/byte-size.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { useTellFailure } from '../../ui/use-tell-failure.ts'
import { When } from '../../ui/when.tsx'
import { defineWords } from '../../ui/words.ts'
import { FileContent } from './file-content.tsx'
import { useFileWords } from './file-words.ts'
import type { StoredFile } from './use-files.ts'

const useWords = defineWords(
  { id: 'ID', checksum: 'SHA-256', copyChecksum: 'Copy checksum', close: 'Close' },
  { id: 'ID', checksum: 'SHA-256', copyChecksum: '复制校验和', close: '关闭' },
)

function FileFacts({ file }: { file: StoredFile }) {
  const words = useWords()
  const fileWords = useFileWords()
  return (
    <dl className="file-facts">
      <dt>{fileWords.type}</dt>
      <dd>{file.mime_type}</dd>
      <dt>{fileWords.size}</dt>
      <dd>
        <ByteSize bytes={file.size} />
      </dd>
      <dt>{fileWords.uploaded}</dt>
      <dd>
        <When time={file.created_at} />
      </dd>
      <dt>{words.id}</dt>
      <dd>
        <code>{file.file_id}</code> <CopyButton size="small" text={file.file_id} label={fileWords.copyId} />
      </dd>
      <dt>{words.checksum}</dt>
      <dd>
        <code>{file.sha256}</code> <CopyButton size="small" text={file.sha256} label={words.copyChecksum} />
      </dd>
    </dl>
  )
}

/** A file with what is known of it and, where it can be shown, its content. */
export function FilePreview({
  file,
  onClose,
  onDelete,
}: {
  file: StoredFile
  onClose: () => void
  onDelete: () => void
}) {
  const words = useFileWords()
  const may = useMay()
  const tellFailure = useTellFailure()
  return (
    <Drawer
      open
      size={640}
      title={<span className="file-title">{file.name}</span>}
      onClose={onClose}
      footer={
        <div className="file-preview-actions">
          <Button
            type="primary"
            icon={<DownloadOutlined />}
            onClick={() => saveFile(file.file_id, file.name).catch(tellFailure)}
          >
            {words.download}
          </Button>
          {may.write && (
            <Button danger icon={<DeleteOutlined />} onClick={onDelete}>
              {words.delete}
            </Button>
          )}
        </div>
      }
    >
      <FileFacts file={file} />
      <FileContent key={file.file_id} file={file} />
    </Drawer>
  )
}
