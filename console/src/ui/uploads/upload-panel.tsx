import { CloseOutlined, ReloadOutlined } from '@ant-design/icons'
import { Button, Progress } from 'antd'
import { useFailureWords } from '../failure.tsx'
import { joinSentences } from '../server-texts/message-facts.ts'
import { defineWords } from '../words.ts'
import type { UploadEntry, UploadQueue } from './upload-queue.ts'
import './upload-panel.css'

const useWords = defineWords(
  {
    region: 'Uploads',
    busy: (done: number, total: number) => `Uploading ${done} of ${total}`,
    done: (added: number) => (added === 1 ? '1 file added' : `${added} files added`),
    failed: (count: number) => (count === 1 ? '1 upload failed' : `${count} uploads failed`),
    canceled: (count: number) => `${count} canceled`,
    total: 'All uploads',
    retryAll: 'Retry all',
    cancelAll: 'Cancel all',
    close: 'Close',
    cancel: (name: string) => `Cancel ${name}`,
    retry: (name: string) => `Retry ${name}`,
    sent: 'Uploaded, adding…',
    more: (count: number) => `and ${count} more queued`,
    moreFailed: (count: number) => `and ${count} more failed`,
  },
  {
    region: '上传',
    busy: (done: number, total: number) => `正在上传 ${done}/${total}`,
    done: (added: number) => `已添加 ${added} 个文件`,
    failed: (count: number) => `${count} 个上传失败`,
    canceled: (count: number) => `${count} 个已取消`,
    total: '全部上传',
    retryAll: '全部重试',
    cancelAll: '全部取消',
    close: '关闭',
    cancel: (name: string) => `取消 ${name}`,
    retry: (name: string) => `重试 ${name}`,
    sent: '已上传，正在添加…',
    more: (count: number) => `还有 ${count} 个在等待`,
    moreFailed: (count: number) => `还有 ${count} 个失败`,
  },
)

/** Longer lists of failed files are cut. */
const maxFailed = 50

/** Upload progress: active and failed files, and the total. */
export function UploadPanel({ queue, entries }: { queue: UploadQueue; entries: readonly UploadEntry[] }) {
  const words = useWords()
  if (entries.length === 0) return null
  const of = (...states: UploadEntry['state'][]) => entries.filter(({ state }) => states.includes(state))
  const moving = of('sending', 'sent', 'adding')
  const waiting = of('waiting')
  const failed = of('failed')
  const added = of('added')
  const canceled = of('canceled')
  const total = entries.length - canceled.length
  const isBusy = moving.length + waiting.length > 0
  const share = entries.reduce((sum, { state, share }) => sum + (state === 'failed' ? 1 : share), 0)
  const parts = [
    ...(isBusy
      ? [words.busy(added.length + of('sent', 'adding').length, total)]
      : added.length > 0
        ? [words.done(added.length)]
        : []),
    ...(failed.length > 0 ? [words.failed(failed.length)] : []),
    ...(canceled.length > 0 ? [words.canceled(canceled.length)] : []),
  ]
  return (
    <section className="uploads" aria-label={words.region}>
      <div className="uploads-head">
        <strong role="status">{parts.join(' · ')}</strong>
        {failed.length > 1 && (
          <Button size="small" icon={<ReloadOutlined aria-hidden />} onClick={() => queue.retry()}>
            {words.retryAll}
          </Button>
        )}
        {isBusy ? (
          <Button size="small" onClick={() => queue.cancel()}>
            {words.cancelAll}
          </Button>
        ) : (
          <Button size="small" onClick={() => queue.clear()}>
            {words.close}
          </Button>
        )}
      </div>
      {isBusy && (
        <Progress
          percent={total === 0 ? 100 : Math.min(100, Math.floor((share / total) * 100))}
          size="small"
          status="active"
          aria-label={words.total}
        />
      )}
      <ul>
        {failed.slice(0, maxFailed).map(entry => (
          <FailedUpload key={entry.id} entry={entry} queue={queue} />
        ))}
        {failed.length > maxFailed && (
          <li className="soft small">{words.moreFailed(failed.length - maxFailed)}</li>
        )}
        {moving.slice(0, 6).map(entry => (
          <MovingUpload key={entry.id} entry={entry} queue={queue} />
        ))}
        {waiting.length > 0 && <li className="soft small">{words.more(waiting.length)}</li>}
      </ul>
    </section>
  )
}

function FailedUpload({ entry, queue }: { entry: UploadEntry; queue: UploadQueue }) {
  const words = useWords()
  const { title, details } = useFailureWords()(entry.error)
  return (
    <li>
      <span className="uploads-name">
        {entry.name}
        <span className="uploads-failure small">{joinSentences([title, ...details])}</span>
      </span>
      <Button
        type="text"
        size="small"
        icon={<ReloadOutlined aria-hidden />}
        aria-label={words.retry(entry.name)}
        onClick={() => queue.retry([entry.id])}
      />
    </li>
  )
}

function MovingUpload({ entry, queue }: { entry: UploadEntry; queue: UploadQueue }) {
  const words = useWords()
  return (
    <li>
      <span className="uploads-name">{entry.name}</span>
      {entry.state === 'sending' ? (
        <Progress percent={Math.floor(entry.share * 100)} size="small" aria-label={entry.name} />
      ) : (
        <span className="soft small">{words.sent}</span>
      )}
      {entry.state !== 'adding' && (
        <Button
          type="text"
          size="small"
          icon={<CloseOutlined aria-hidden />}
          aria-label={words.cancel(entry.name)}
          onClick={() => queue.cancel([entry.id])}
        />
      )}
    </li>
  )
}
