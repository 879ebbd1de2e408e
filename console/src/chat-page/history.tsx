import { useCallback, useEffect, useRef, useState } from 'react'
import { useLanguage } from '../ui/preferences.ts'
import { useRetryWhenReachable } from '../ui/use-retry-when-reachable.ts'
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
    yes: 'Delete',
    no: 'Cancel',
    more: 'Show more',
    close: 'Close',
  },
  {
    title: '历史对话',
    none: '还没有对话，发送消息即可开始。',
    untitled: '未命名',
    remove: (name: string) => `删除 ${name}`,
    confirm: (name: string) => `删除“${name}”及其全部消息和文件？`,
    yes: '删除',
    no: '取消',
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
      // A conversation without messages was created by an upload.
      const used = found.items.filter(({ message_count }) => message_count > 0)
      setItems(before => [...(page === 1 ? [] : (before ?? [])), ...used])
      setPages({ shown: page, isMore: found.items.length === found.page_size })
    },
    [api],
  )
  const [loadError, setLoadError] = useState<unknown>()
  const begin = useCallback(() => void load(1).then(() => setLoadError(undefined), setLoadError), [load])
  useEffect(() => {
    dialog.current?.showModal()
    begin()
  }, [begin])
  useRetryWhenReachable(loadError, begin)

  const remove = async ({ conversation_id: id }: HistoryItem): Promise<void> => {
    await api.remove(id)
    setItems(before => before?.filter(item => item.conversation_id !== id))
    onRemoved(id)
  }
  const showFailure = (error: unknown): void => setProblem(failureText(failures, error))

  return (
    <dialog ref={dialog} className="chat-history" aria-label={words.title} onClose={onClose}>
      <header>
        <h2>{words.title}</h2>
        <IconButton icon={icons.close} label={words.close} onClick={() => dialog.current?.close()} />
      </header>
      {(problem !== '' || loadError !== undefined) && (
        <p role="alert">{problem || failureText(failures, loadError)}</p>
      )}
      {items?.length === 0 && <p className="soft">{words.none}</p>}
      <ul>
        {items?.map(item => (
          <Item
            key={item.conversation_id}
            item={item}
            isCurrent={item.conversation_id === currentId}
            onOpen={() => {
              onOpen(item.conversation_id)
              dialog.current?.close()
            }}
            onRemove={() => void remove(item).catch(showFailure)}
          />
        ))}
      </ul>
      {pages.isMore && (
        <button type="button" onClick={() => void load(pages.shown + 1).catch(showFailure)}>
          {words.more}
        </button>
      )}
    </dialog>
  )
}

interface ItemProps {
  item: HistoryItem
  isCurrent: boolean
  onOpen: () => void
  onRemove: () => void
}

/** Asks in the page itself before deleting, because browsers show no dialogs of frames from other websites. */
function Item({ item, isCurrent, onOpen, onRemove }: ItemProps) {
  const words = useWords()
  const language = useLanguage()
  const [isAsking, setIsAsking] = useState(false)
  const name = item.name || words.untitled
  if (isAsking)
    return (
      <li className="history-question">
        <p>{words.confirm(name)}</p>
        <button
          type="button"
          // biome-ignore lint/a11y/noAutofocus: it takes the place of the button that was just pressed
          autoFocus
          onClick={() => setIsAsking(false)}
        >
          {words.no}
        </button>
        <button type="button" className="danger" onClick={onRemove}>
          {words.yes}
        </button>
      </li>
    )
  return (
    <li>
      <button type="button" aria-current={isCurrent} onClick={onOpen}>
        <span className="history-name">{name}</span>
        <time className="soft small" dateTime={item.updated_at}>
          {new Date(item.updated_at).toLocaleDateString(language === 'zh' ? 'zh-CN' : 'en')}
        </time>
      </button>
      <IconButton icon={icons.remove} label={words.remove(name)} onClick={() => setIsAsking(true)} />
    </li>
  )
}
