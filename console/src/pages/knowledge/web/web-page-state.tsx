import {
  CheckCircleFilled,
  ClockCircleOutlined,
  CloseCircleFilled,
  PauseCircleFilled,
  SyncOutlined,
} from '@ant-design/icons'
import type { ReactNode } from 'react'
import { otherWebFailure, webFailureTexts } from '../../../ui/server-texts/web-failure-texts.ts'
import { defineWords } from '../../../ui/words.ts'
import { FailureText } from '../failure-text.tsx'
import type { WebPage } from './use-web-pages.ts'

export const useWebStatusWords = defineWords(
  {
    queued: 'Queued',
    fetching: 'Fetching',
    ready: 'Fetched',
    failed: 'Failed',
    excluded: 'Excluded',
    deleting: 'Deleting',
    again: 'Retrying',
  },
  {
    queued: '排队中',
    fetching: '获取中',
    ready: '已获取',
    failed: '失败',
    excluded: '已排除',
    deleting: '删除中',
    again: '等待重试',
  },
)

const looks: Record<WebPage['status'], { tone: string; icon: ReactNode }> = {
  queued: { tone: 'soft', icon: <ClockCircleOutlined aria-hidden /> },
  fetching: { tone: 'moving', icon: <SyncOutlined spin aria-hidden /> },
  ready: { tone: 'good', icon: <CheckCircleFilled aria-hidden /> },
  failed: { tone: 'kb-danger', icon: <CloseCircleFilled aria-hidden /> },
  excluded: { tone: 'soft', icon: <PauseCircleFilled aria-hidden /> },
  deleting: { tone: 'moving', icon: <SyncOutlined spin aria-hidden /> },
}

export function WebPageState({ page }: { page: WebPage }) {
  const words = useWebStatusWords()
  const { tone, icon } = looks[page.status]
  const isRetried = page.status === 'queued' && page.error !== null
  return (
    <span className={`kb-status ${tone}`}>
      {icon}
      {isRetried ? words.again : words[page.status]}
    </span>
  )
}

/** Why the last fetch failed. */
export function WebPageFailure({ page: { error } }: { page: WebPage }) {
  return <FailureText error={error} texts={webFailureTexts} other={otherWebFailure} />
}
