import {
  CheckCircleFilled,
  ClockCircleOutlined,
  CloseCircleFilled,
  PauseCircleFilled,
  SyncOutlined,
} from '@ant-design/icons'
import { Tag } from 'antd'
import type { ReactNode } from 'react'
import { documentFailureTexts, otherDocumentFailure } from '../../ui/server-texts/document-failure-texts.ts'
import { defineWords } from '../../ui/words.ts'
import { FailureText } from './failure-text.tsx'
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

/** The processing status of a document. */
export function DocumentState({ document }: { document: KnowledgeDocument }) {
  const words = useStatusWords()
  const { tone, icon } = looks[document.status]
  const percent = Math.floor(document.progress * 100)
  return (
    <span className={`kb-status ${tone}`}>
      {icon}
      {words[document.status]}
      {tone === 'moving' && percent > 0 && (
        <span className="kb-number">
          {document.recognition && document.status === 'parsing'
            ? words.pages(document.recognition.pages_done, document.recognition.pages_total)
            : `${percent}%`}
        </span>
      )}
    </span>
  )
}

/** The processing statuses of a document. */
export const useStatusWords = defineWords(
  {
    queued: 'Queued',
    parsing: 'Parsing',
    chunking: 'Chunking',
    embedding: 'Embedding',
    ready: 'Ready',
    failed: 'Failed',
    disabled: 'Disabled',
    pages: (done: number, total: number) => `page ${done} of ${total}`,
  },
  {
    queued: '排队中',
    parsing: '解析中',
    chunking: '切分中',
    embedding: '向量化中',
    ready: '就绪',
    failed: '失败',
    disabled: '已停用',
    pages: (done: number, total: number) => `第 ${done}/${total} 页`,
  },
)

/** Why a document failed. */
export function FailureOfDocument({ document: { error } }: { document: KnowledgeDocument }) {
  return <FailureText error={error} texts={documentFailureTexts} other={otherDocumentFailure} />
}

/** Programs may store more than the console can: an object is shown as JSON, whatever its members are called. */
const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Metadata in short. */
export function MetadataTags({ metadata }: { metadata: Record<string, unknown> }) {
  const entries = Object.entries(metadata)
  if (entries.length === 0) return null
  return (
    <span className="kb-metadata-tags">
      {entries.map(([key, value]) => (
        <Tag key={key} variant="filled">
          {key}: {[value].flat().map(shown).join(', ')}
        </Tag>
      ))}
    </span>
  )
}
