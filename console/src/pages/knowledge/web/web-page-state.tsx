import {
  CheckCircleFilled,
  ClockCircleOutlined,
  CloseCircleFilled,
  PauseCircleFilled,
  SyncOutlined,
} from '@ant-design/icons'
import type { ReactNode } from 'react'
import { useLanguage } from '../../../ui/preferences.ts'
import { factsIn } from '../../../ui/server-texts/message-facts.ts'
import { otherWebFailure, webFailureTexts } from '../../../ui/server-texts/web-failure-texts.ts'
import { defineWords } from '../../../ui/words.ts'
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

/** Why the last fetch failed: a short text by its code, then the server's message, or its facts in Chinese. */
export function WebPageFailure({ page }: { page: WebPage }) {
  const language = useLanguage()
  if (!page.error) return null
  const { code, message } = page.error
  const text = Object.hasOwn(webFailureTexts, code)
    ? webFailureTexts[code as keyof typeof webFailureTexts]
    : otherWebFailure
  const details = language === 'en' ? message : factsIn(message).join('、')
  return (
    <span className="kb-danger small kb-document-failure">
      <strong>{text[language]}</strong> {details}
    </span>
  )
}
