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
  queued: { tone: 'soft', icon: <ClockCircleOutlined /> },
  parsing: { tone: 'moving', icon: <SyncOutlined spin /> },
  chunking: { tone: 'moving', icon: <SyncOutlined spin /> },
  embedding: { tone: 'moving', icon: <SyncOutlined spin /> },
  ready: { tone: 'good', icon: <CheckCircleFilled /> },
  failed: { tone: 'kb-danger', icon: <CloseCircleFilled /> },
  disabled: { tone: 'soft', icon: <PauseCircleFilled /> },
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
