import { EditOutlined, LinkOutlined } from '@ant-design/icons'
import { Button, Switch, Tag } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useMay } from '../../session/use-session.ts'
import { pathTo } from '../../ui/router.ts'
import { useKept } from '../../ui/use-kept.ts'
import { defineWords } from '../../ui/words.ts'
import { ChunkEditor } from './chunk-editor.tsx'
import { ChunkPlace } from './chunk-place.tsx'
import { useCorrectChunk } from './use-correct-chunk.ts'
import type { Chunk } from './use-knowledge.ts'
import { withQuery } from './with-query.ts'

const useWords = defineWords(
  {
    tokens: (count: number) => `${count} tokens`,
    edited: 'Edited',
    disabled: 'Excluded from search',
    enabled: (number: number) => `Include passage ${number} in search`,
    edit: (number: number) => `Edit passage ${number}`,
    link: (number: number) => `Link to passage ${number}`,
    passage: (number: number) => `Passage ${number}`,
  },
  {
    tokens: (count: number) => `${count} 个 token`,
    edited: '已修改',
    disabled: '不参与搜索',
    enabled: (number: number) => `段落 ${number} 参与搜索`,
    edit: (number: number) => `修改段落 ${number}`,
    link: (number: number) => `段落 ${number} 的链接`,
    passage: (number: number) => `段落 ${number}`,
  },
)

interface ChunkCardProps {
  chunk: Chunk
  of: { knowledgeId: string; fileId: string }
  /** Whether somebody was led to this one. */
  isMeant: boolean
}

export function ChunkCard({ chunk, of, isMeant }: ChunkCardProps) {
  const words = useWords()
  const may = useMay()
  const [text, keepText] = useKept<string>(`passage ${of.fileId} ${chunk.chunk_id}`)
  const [isEditing, setIsEditing] = useState(text !== undefined)
  const endEditing = (): void => {
    keepText(undefined)
    setIsEditing(false)
  }
  const card = useRef<HTMLLIElement>(null)
  const correct = useCorrectChunk(of, chunk.chunk_id)
  useEffect(() => {
    if (!isMeant) return
    card.current?.scrollIntoView({ block: 'center' })
    card.current?.focus({ preventScroll: true })
  }, [isMeant])
  const number = chunk.position + 1
  const href = withQuery(pathTo('knowledge', of.knowledgeId, 'documents', of.fileId), {
    chunk: chunk.chunk_id,
    position: chunk.position,
  })
  return (
    <li
      ref={card}
      tabIndex={-1}
      className={`kb-chunk${isMeant ? ' meant' : ''}${chunk.enabled ? '' : ' off'}`}
      aria-label={words.passage(number)}
      aria-current={isMeant ? 'location' : undefined}
    >
      <div className="kb-chunk-head">
        <a className="kb-chunk-number" href={href} title={words.link(number)} aria-label={words.link(number)}>
          <LinkOutlined aria-hidden /> {number}
        </a>
        <ChunkPlace chunk={chunk} />
        <span className="soft kb-number">{words.tokens(chunk.tokens)}</span>
        {chunk.edited && <Tag color="gold">{words.edited}</Tag>}
        {!chunk.enabled && <Tag>{words.disabled}</Tag>}
        {may.write && (
          <span className="kb-chunk-buttons">
            <Switch
              size="small"
              checked={chunk.enabled}
              loading={correct.isPending}
              aria-label={words.enabled(number)}
              title={words.enabled(number)}
              onChange={enabled => correct.mutate({ enabled })}
            />
            <Button
              type="text"
              size="small"
              icon={<EditOutlined aria-hidden />}
              disabled={isEditing}
              aria-label={words.edit(number)}
              title={words.edit(number)}
              onClick={() => setIsEditing(true)}
            />
          </span>
        )}
      </div>
      {isEditing ? (
        <ChunkEditor
          label={words.edit(number)}
          content={chunk.content}
          text={text ?? chunk.content}
          onChange={next => keepText(next === chunk.content ? undefined : next)}
          isSaving={correct.isPending}
          onCancel={endEditing}
          onSave={content => correct.mutate({ content }, { onSuccess: endEditing })}
        />
      ) : (
        <div className="kb-chunk-text">{chunk.content}</div>
      )}
    </li>
  )
}
