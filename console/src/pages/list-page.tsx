import { Alert, Button } from 'antd'
import { type ReactNode, useState } from 'react'
import { useMay } from '../session/use-session.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { QueryFailure } from '../ui/failure.tsx'
import { ListSearch } from '../ui/list-search.tsx'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { defineWords } from '../ui/words.ts'

const useWords = defineWords(
  {
    nothingTitle: 'No matches',
    nothing: (keyword: string) => `Nothing in this list contains “${keyword}”.`,
    clear: 'Clear the search',
  },
  {
    nothingTitle: '没有匹配项',
    nothing: (keyword: string) => `列表中没有包含“${keyword}”的内容。`,
    clear: '清除搜索',
  },
)

interface ListPageProps<Item> {
  words: {
    title: string
    about: string
    search: string
    /** Text for users who may not change the list. */
    onlyEditors: string
    emptyTitle: string
    empty: string
  }
  list: { data: Item[] | undefined; error: unknown; refetch(): unknown }
  /** The text of an item in which the search looks. */
  textOf(item: Item): string
  /** Buttons for users who may change the list. */
  actions: ReactNode
  table(items: Item[]): ReactNode
  /** Dialogs. */
  children?: ReactNode
}

/** A list of a workspace that is small enough to be searched in the browser. */
export function ListPage<Item>({ words, list, textOf, actions, table, children }: ListPageProps<Item>) {
  const shared = useWords()
  const mayWrite = useMay().write
  const [keyword, setKeyword] = useState('')
  const { data: items, error } = list
  const isEmpty = items?.length === 0
  const wanted = keyword.trim().toLowerCase()
  const found = items?.filter(item => textOf(item).toLowerCase().includes(wanted)) ?? []
  const buttons = mayWrite ? actions : undefined
  return (
    <Page title={words.title} about={words.about} actions={isEmpty ? undefined : buttons}>
      {error ? <QueryFailure query={list} /> : !items && <Loading />}
      {!mayWrite && items && <Alert type="info" showIcon title={words.onlyEditors} />}
      {isEmpty && (
        <EmptyState title={words.emptyTitle} actions={buttons}>
          {words.empty}
        </EmptyState>
      )}
      {items && !isEmpty && <ListSearch label={words.search} value={keyword} onChange={setKeyword} />}
      {found.length > 0 && table(found)}
      {items && !isEmpty && found.length === 0 && (
        <EmptyState
          title={shared.nothingTitle}
          actions={<Button onClick={() => setKeyword('')}>{shared.clear}</Button>}
        >
          {shared.nothing(keyword)}
        </EmptyState>
      )}
      {children}
    </Page>
  )
}
