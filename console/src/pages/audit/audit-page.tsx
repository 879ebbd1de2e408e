import { useInfiniteQuery } from '@tanstack/react-query'
import { Button, Input, Select, Space, type TableColumnsType } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useAll } from '../../api/queries.ts'
import { useMay } from '../../session/use-session.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { ListTable } from '../../ui/list-table.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import { When } from '../../ui/when.tsx'
import type { PageProps } from '../page-props.ts'
import { type AuditEntry, useAuditWords, useOperationName } from './audit-words.ts'

const pageSize = 50

interface Filter {
  actor_id?: string
  object_id?: string
}

const useEntries = (filter: Filter, enabled: boolean) =>
  useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/v1/audit', {
        query: { ...filter, page_size: pageSize, ...(pageParam && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: page => page.next_cursor,
    enabled,
  })

export function AuditPage(_: PageProps) {
  const words = useAuditWords()
  const may = useMay()
  const tokens = useAll('POST /api/v1/token/list', { enabled: may.administer })
  const [actor, setActor] = useState<string>()
  const [object, setObject] = useState('')
  const wanted = useDebounced(object.trim())
  const filter = { ...(actor && { actor_id: actor }), ...(wanted && { object_id: wanted }) }
  const entries = useEntries(filter, may.administer)
  if (!may.administer)
    return (
      <Page title={words.title} about={words.about}>
        <EmptyState title={words.whyNotTitle} actions={<a href="#/">{words.home}</a>}>
          {words.whyNot}
        </EmptyState>
      </Page>
    )
  return (
    <Page title={words.title} about={words.about}>
      <Space wrap style={{ marginBottom: '1rem' }}>
        <Select
          allowClear
          aria-label={words.actor}
          placeholder={words.anyActor}
          style={{ minWidth: '12rem' }}
          value={actor}
          onChange={setActor}
          options={tokens.data?.map(({ id, name }) => ({ value: id, label: name })) ?? []}
        />
        <Input
          allowClear
          aria-label={words.objectId}
          placeholder={words.objectId}
          maxLength={64}
          value={object}
          onChange={event => setObject(event.target.value)}
        />
      </Space>
      {entries.isError && <Failure error={entries.error} onRetry={entries.refetch} />}
      {entries.isPending && <Loading />}
      {entries.data && <AuditTable entries={entries.data.pages.flatMap(page => page.items)} />}
      {entries.hasNextPage && (
        <Button loading={entries.isFetchingNextPage} onClick={() => entries.fetchNextPage()}>
          {words.more}
        </Button>
      )}
    </Page>
  )
}

/** The logged values, and the names of the other changed members. */
function Details({ details: { changed, ...values } }: Pick<AuditEntry, 'details'>) {
  const words = useAuditWords()
  const shown = Object.entries(values).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  if (Array.isArray(changed)) shown.push(words.changed(changed.join(', ')))
  return <span className="small">{shown.join(' · ')}</span>
}

function AuditTable({ entries }: { entries: AuditEntry[] }) {
  const words = useAuditWords()
  const operationName = useOperationName()
  const columns: TableColumnsType<AuditEntry> = [
    { title: words.time, dataIndex: 'at', render: (time: string) => <When time={time} /> },
    {
      title: words.actor,
      dataIndex: 'actor_name',
      render: (name: string, { actor_id }) => (actor_id === '' ? words.commandLine : name),
    },
    { title: words.change, dataIndex: 'operation', render: operationName },
    { title: words.object, dataIndex: 'object_id', render: (id: string) => <code>{id}</code> },
    { title: words.details, key: 'details', render: (_, entry) => <Details details={entry.details} /> },
    { title: words.address, dataIndex: 'address' },
  ]
  return (
    <ListTable
      rowKey="id"
      columns={columns}
      dataSource={entries}
      pagination={false}
      locale={{ emptyText: words.empty }}
    />
  )
}
