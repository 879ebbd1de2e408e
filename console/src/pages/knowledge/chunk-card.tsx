import { DeleteOutlined, EditOutlined, FileSearchOutlined, LinkOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import { Button, Input, Switch, Tag } from 'antd'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { useMay } from '../../session/use-session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { useFailureToast } from '../../ui/failure.tsx'
import { PassageText } from '../../ui/passage/passage-text.tsx'
import { pathTo } from '../../ui/router.ts'
import { openSource } from '../../ui/source/open-source.ts'
import { useUnsavedInput } from '../../ui/use-unsaved-input.ts'
import { defineWords } from '../../ui/words.ts'
import { ChunkPlace } from './chunk-place.tsx'
import { useRefreshChunks } from './use-document.ts'
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
    show: (number: number) => `Show passage ${number} in the document`,
    manual: 'Added by hand',
    remove: (number: number) => `Delete passage ${number}`,
    removeTitle: 'Delete this passage?',
    ok: 'Delete',
    cancel: 'Cancel',
    passage: (number: number) => `Passage ${number}`,
  },
  {
    tokens: (count: number) => `${count} 个 token`,
    edited: '已修改',
    disabled: '不参与搜索',
    enabled: (number: number) => `段落 ${number} 参与搜索`,
    edit: (number: number) => `修改段落 ${number}`,
    link: (number: number) => `段落 ${number} 的链接`,
    show: (number: number) => `在文档中显示段落 ${number}`,
    manual: '手工添加',
    remove: (number: number) => `删除段落 ${number}`,
    removeTitle: '删除这个段落？',
    ok: '删除',
    cancel: '取消',
    passage: (number: number) => `段落 ${number}`,
  },
)

interface ChunkCardProps {
  chunk: Chunk
  of: { knowledgeId: string; fileId: string }
  fileName: string
  /** Whether the link refers to this chunk. */
  isMeant: boolean
}

export function ChunkCard({ chunk, of, fileName, isMeant }: ChunkCardProps) {
  const words = useWords()
  const may = useMay()
  const [text, keepText] = useUnsavedInput<string>(`passage ${of.fileId} ${chunk.chunk_id}`)
  const [isEditing, setIsEditing] = useState(text !== undefined)
  const endEditing = (): void => {
    keepText(undefined)
    setIsEditing(false)
  }
  const card = useRef<HTMLLIElement>(null)
  const correct = useCorrectChunk(of, chunk.chunk_id)
  const remove = useDeleteChunk(of, chunk.chunk_id)
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
        {chunk.manual && <Badge tone="good">{words.manual}</Badge>}
        {chunk.edited && <Badge tone="warning">{words.edited}</Badge>}
        {!chunk.enabled && <Tag>{words.disabled}</Tag>}
        <span className="kb-chunk-buttons">
          <Button
            type="text"
            size="small"
            icon={<FileSearchOutlined aria-hidden />}
            aria-label={words.show(number)}
            title={words.show(number)}
            onClick={() => openSource({ ...of, fileName, chunkId: chunk.chunk_id, quote: chunk.content })}
          />
          {may.write && (
            <Switch
              size="small"
              checked={chunk.enabled}
              loading={correct.isPending}
              aria-label={words.enabled(number)}
              title={words.enabled(number)}
              onChange={enabled => correct.mutate({ enabled })}
            />
          )}
          {may.write && (
            <Button
              type="text"
              size="small"
              icon={<EditOutlined aria-hidden />}
              disabled={isEditing}
              aria-label={words.edit(number)}
              title={words.edit(number)}
              onClick={() => setIsEditing(true)}
            />
          )}
          {may.write && chunk.manual && (
            <Confirm
              title={words.removeTitle}
              okText={words.ok}
              okButtonProps={{ danger: true }}
              cancelText={words.cancel}
              onConfirm={() => remove.mutate()}
            >
              <Button
                type="text"
                size="small"
                icon={<DeleteOutlined aria-hidden />}
                loading={remove.isPending}
                aria-label={words.remove(number)}
                title={words.remove(number)}
              />
            </Confirm>
          )}
        </span>
      </div>
      {isEditing ? (
        <ChunkEditor
          label={words.edit(number)}
          isManual={chunk.manual}
          content={chunk.content}
          text={text ?? chunk.content}
          onChange={next => keepText(next === chunk.content ? undefined : next)}
          isSaving={correct.isPending}
          onCancel={endEditing}
          onSave={content => correct.mutate({ content }, { onSuccess: endEditing })}
        />
      ) : (
        <div className="kb-chunk-text">
          <PassageText text={chunk.content} headings={chunk.heading} />
        </div>
      )}
    </li>
  )
}

/** Edits a chunk's text, or excludes it from search. */
function useCorrectChunk(of: ChunkCardProps['of'], chunkId: string) {
  const refresh = useRefreshChunks(of)
  const showFailure = useFailureToast()
  return useMutation({
    mutationFn: (body: { content?: string; enabled?: boolean }) =>
      call('POST /api/v1/knowledge/{knowledge_id}/files/{file_id}/chunks/{chunk_id}/update', {
        params: { knowledge_id: of.knowledgeId, file_id: of.fileId, chunk_id: chunkId },
        body,
      }),
    onError: showFailure,
    // Awaited, so that the old text does not flash.
    onSettled: refresh,
  })
}

function useDeleteChunk({ knowledgeId, fileId }: ChunkCardProps['of'], chunkId: string) {
  const refresh = useRefreshChunks({ knowledgeId, fileId })
  const showFailure = useFailureToast()
  return useMutation({
    mutationFn: () =>
      call('POST /api/v1/knowledge/{knowledge_id}/files/{file_id}/chunks/{chunk_id}/delete', {
        params: { knowledge_id: knowledgeId, file_id: fileId, chunk_id: chunkId },
      }),
    onError: showFailure,
    onSettled: refresh,
  })
}

const useChunkEditorWords = defineWords(
  {
    save: 'Save',
    cancel: 'Cancel',
    saves: 'Ctrl+Enter saves, Esc cancels.',
    lasts: 'Edits are lost when the document is re-processed. Ctrl+Enter saves, Esc cancels.',
  },
  {
    save: '保存',
    cancel: '取消',
    saves: 'Ctrl+Enter 保存，Esc 取消。',
    lasts: '重新处理文档时修改会丢失。Ctrl+Enter 保存，Esc 取消。',
  },
)

interface ChunkEditorProps {
  label: string
  /** Whether the passage was added by hand, so that edits last. */
  isManual?: boolean
  /** The saved text. */
  content: string
  text: string
  onChange: (text: string) => void
  isSaving: boolean
  onSave: (content: string) => void
  onCancel: () => void
}

/** Edits the text of a chunk in place. */
export function ChunkEditor(props: ChunkEditorProps) {
  const words = useChunkEditorWords()
  const { label, isManual = false, content, text, onChange, isSaving, onSave, onCancel } = props
  const canSave = text.trim() !== '' && text !== content
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') onCancel()
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && canSave && !isSaving) onSave(text)
  }
  return (
    <div className="kb-chunk-editor">
      <Input.TextArea
        value={text}
        // The editor closes when the text is saved, so nothing can be typed in the meantime.
        readOnly={isSaving}
        autoFocus
        autoSize={{ minRows: 3, maxRows: 20 }}
        maxLength={isManual ? 10_000 : 40_000}
        aria-label={label}
        onChange={event => onChange(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="kb-chunk-editor-foot">
        <span className="soft small">{isManual ? words.saves : words.lasts}</span>
        <Button onClick={onCancel}>{words.cancel}</Button>
        <Button type="primary" disabled={!canSave} loading={isSaving} onClick={() => onSave(text)}>
          {words.save}
        </Button>
      </div>
    </div>
  )
}
