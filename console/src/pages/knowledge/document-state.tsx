import {
  CheckCircleFilled,
  ClockCircleOutlined,
  CloseCircleFilled,
  PauseCircleFilled,
  SyncOutlined,
} from '@ant-design/icons'
import type { ReactNode } from 'react'
import { useStatusWords } from './status-words.ts'
import type { DocumentStatus, KnowledgeDocument } from './use-knowledge.ts'

const looks: Record<DocumentStatus, { tone: string; icon: ReactNode }> = {
  queued: { tone: 'soft', icon: <ClockCircleOutlined aria-hidden /> },
  parsing: { tone: 'moving', icon: <SyncOutlined spin aria-hidden /> },
  chunking: { tone: 'moving', icon: <SyncOutlined spin aria-hidden /> },
  embedding: { tone: 'moving', icon: <SyncOutlined spin aria-hidden /> },
  ready: { tone: 'good', icon: <CheckCircleFilled aria-hidden /> },
  failed: { tone: 'kb-danger', icon: <CloseCircleFilled aria-hidden /> },
  disabled: { tone: 'soft', icon: <PauseCircleFilled aria-hidden /> },
}

/** How far a document is. */
export function DocumentState({ document }: { document: KnowledgeDocument }) {
  const words = useStatusWords()
  const { tone, icon } = looks[document.status]
  const percent = Math.floor(document.progress * 100)
  return (
    <span className={`kb-status ${tone}`}>
      {icon}
      {words[document.status]}
      {tone === 'moving' && percent > 0 && <span className="kb-number">{percent}%</span>}
    </span>
  )
}
