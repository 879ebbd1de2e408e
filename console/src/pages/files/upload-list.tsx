import { CloseOutlined } from '@ant-design/icons'
import { Button, Progress } from 'antd'
import { useFailureWords } from '../../ui/failure-words.ts'
import { defineWords } from '../../ui/words.ts'
import type { Upload } from './use-uploads.ts'

const useWords = defineWords(
  {
    title: 'Uploads',
    busy: (done: number, all: number) => `Uploading: ${done} of ${all} done`,
    done: (count: number) => (count === 1 ? '1 file is uploaded' : `${count} files are uploaded`),
    failed: (count: number) => `${count} failed`,
    retry: 'Try again',
    retryNamed: (name: string) => `Try ${name} again`,
    close: 'Close the list of uploads',
    progress: (name: string) => `Upload of ${name}`,
  },
  {
    title: '上传',
    busy: (done: number, all: number) => `正在上传：已完成 ${done} / ${all}`,
    done: (count: number) => `已上传 ${count} 个文件`,
    failed: (count: number) => `${count} 个失败`,
    retry: '重试',
    retryNamed: (name: string) => `重试 ${name}`,
    close: '关闭上传列表',
    progress: (name: string) => `${name} 的上传进度`,
  },
)

const isBusy = ({ state }: Upload): boolean => state === 'waiting' || state === 'sending'

function UploadLine({ upload, onRetry }: { upload: Upload; onRetry: () => void }) {
  const words = useWords()
  const failureOf = useFailureWords()
  const { file, share, state, error } = upload
  return (
    <li>
      <span className="upload-name">{file.name}</span>
      <Progress
        size="small"
        percent={Math.round(share * 100)}
        status={state === 'failed' ? 'exception' : state === 'done' ? 'success' : 'active'}
        aria-label={words.progress(file.name)}
      />
      {state === 'failed' && (
        <div className="upload-failure small">
          {failureOf(error).title}
          <Button type="link" size="small" aria-label={words.retryNamed(file.name)} onClick={onRetry}>
            {words.retry}
          </Button>
        </div>
      )}
    </li>
  )
}

interface UploadListProps {
  uploads: Upload[]
  onRetry: (upload: Upload) => void
  onClose: () => void
}

/** How far uploads are, as long as somebody wants to see it. */
export function UploadList({ uploads, onRetry, onClose }: UploadListProps) {
  const words = useWords()
  if (uploads.length === 0) return null
  const done = uploads.filter(({ state }) => state === 'done').length
  const failed = uploads.filter(({ state }) => state === 'failed').length
  const summary = uploads.some(isBusy) ? words.busy(done, uploads.length) : words.done(done)
  return (
    <section className="uploads" aria-label={words.title}>
      <div className="uploads-head">
        <span role="status">{failed > 0 ? `${summary}, ${words.failed(failed)}` : summary}</span>
        <Button
          type="text"
          size="small"
          icon={<CloseOutlined />}
          aria-label={words.close}
          onClick={onClose}
        />
      </div>
      <ul>
        {uploads
          .filter(({ state }) => state !== 'done')
          .map(upload => (
            <UploadLine key={upload.key} upload={upload} onRetry={() => onRetry(upload)} />
          ))}
      </ul>
    </section>
  )
}
