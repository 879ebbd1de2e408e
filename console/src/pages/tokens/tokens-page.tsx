import { PlusOutlined } from '@ant-design/icons'
import { Button, Input } from 'antd'
import { useState } from 'react'
import { useAll } from '../../api/use-all.ts'
import { useMay } from '../../session/use-session.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import type { PageProps } from '../page-props.ts'
import { CreateToken } from './create-token.tsx'
import { useTokenWords } from './token-words.ts'
import { TokensTable } from './tokens-table.tsx'
import './tokens-page.css'

export function TokensPage(_: PageProps) {
  const words = useTokenWords()
  const may = useMay()
  const tokens = useAll('POST /api/v1/token/list', { enabled: may.administer })
  const [keyword, setKeyword] = useState('')
  const [isCreating, setIsCreating] = useState(false)
  if (!may.administer)
    return (
      <Page title={words.title} about={words.about}>
        <EmptyState title={words.whyNotTitle} actions={<a href="#/">{words.home}</a>}>
          {words.whyNot}
        </EmptyState>
      </Page>
    )
  const wanted = keyword.trim().toLowerCase()
  const shown = tokens.data?.filter(({ name, role, id }) =>
    [name, role, words[role], id].some(text => text.toLowerCase().includes(wanted)),
  )
  return (
    <Page
      title={words.title}
      about={words.about}
      actions={
        <Button type="primary" icon={<PlusOutlined />} onClick={() => setIsCreating(true)}>
          {words.create}
        </Button>
      }
    >
      <Input.Search
        allowClear
        className="list-search"
        aria-label={words.search}
        placeholder={words.search}
        value={keyword}
        onChange={event => setKeyword(event.target.value)}
      />
      {tokens.isError ? (
        <Failure error={tokens.error} onRetry={tokens.refetch} />
      ) : shown ? (
        <TokensTable tokens={shown} />
      ) : (
        <Loading />
      )}
      {isCreating && <CreateToken onClose={() => setIsCreating(false)} />}
    </Page>
  )
}
