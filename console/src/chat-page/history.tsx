import { useCallback, useEffect, useRef, useState } from 'react'
import { defineWords } from '../ui/words.ts'
import { failureText, useFailureWords } from './failure-words.ts'
import { IconButton, icons } from './icons.tsx'
import type { HistoryItem, VisitorApi } from './visitor-api.ts'

const useWords = defineWords(
  {
    title: 'Your conversations',
    none: 'You have no conversations yet. Send a message to start one.',
    untitled: 'Untitled',
    remove: (name: string) => `Delete ${name}`,
    confirm: (name: string) => `Delete “${name}” with all its messages and files?`,
    more: 'Show more',
    close: 'Close',
  },
  {
    title: '历史对话',
    none: '还没有对话，发送消息即可开始。',
    untitled: '未命名',
    remove: (name: string) => `删除 ${name}`,
    confirm: (name: string) => `删除“${name}”及其全部消息和文件？`,
    more: '显示更多',
    close: '关闭',
  },
)

interface HistoryProps {
  api: VisitorApi
  currentId: string | undefined
  onOpen: (conversationId: string) => void
  onRemoved: (conversationId: string) => void
  onClose: () => void
}

/** The conversations of this visitor. */
export function History({ api, currentId, onOpen, onRemoved, onClose }: HistoryProps) {
  const words = useWords()
  const failures = useFailureWords()
  const dialog = useRef<HTMLDialogElement>(null)
  const [items, setItems] = useState<readonly HistoryItem[]>()
  const [problem, setProblem] = useState('')
  const [pages, setPages] = useState({ shown: 0, isMore: false })

  const load = useCallback(
    async (page: number) => {
      const found = await api.history(page)
      // One without messages was begun by an upload.
      const used = found.items.filter(({ message_count }) => message_count > 0)
      setItems(before => [...(page === 1 ? [] : (before ?? [])), ...used])
      setPages({ shown: page, isMore: found.items.length === found.page_size })
    },
    [api],
  )
  useEffect(() => {
    dialog.current?.showModal()
    load(1).catch(error => setProblem(failureText(failures, error)))
  }, [load, failures])

  const remove = async ({ conversation_id: id, name }: HistoryItem): Promise<void> => {
    if (!window.confirm(words.confirm(name || words.untitled))) return
    await api.remove(id)
    setItems(before => before?.filter(item => item.conversation_id !== id))
    onRemoved(id)
  }
  const tell = (error: unknown): void => setProblem(failureText(failures, error))

  return (
    <dialog ref={dialog} className="history" aria-label={words.title} onClose={onClose}>
      <header>
        <h2>{words.title}</h2>
        <IconButton icon={icons.close} label={words.close} onClick={() => dialog.current?.close()} />
      </header>
      {problem !== '' && <p role="alert">{problem}</p>}
      {items?.length === 0 && <p className="soft">{words.none}</p>}
      <ul>
        {items?.map(item => (
          <li key={item.conversation_id}>
            <button
              type="button"
              aria-current={item.conversation_id === currentId}
              onClick={() => {
                onOpen(item.conversation_id)
                dialog.current?.close()
              }}
            >
              <span className="history-name">{item.name || words.untitled}</span>
              <time className="soft small" dateTime={item.updated_at}>
                {new Date(item.updated_at).toLocaleDateString()}
              </time>
            </button>
            <IconButton
              icon={icons.remove}
              label={words.remove(item.name || words.untitled)}
              onClick={() => void remove(item).catch(tell)}
            />
          </li>
        ))}
      </ul>
      {pages.isMore && (
        <button type="button" onClick={() => void load(pages.shown + 1).catch(tell)}>
          {words.more}
        </button>
      )}
    </dialog>
  )
}
