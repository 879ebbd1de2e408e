import { useInfiniteQuery } from '@tanstack/react-query'
import { Button, Input, Select, Space, type TableColumnsType } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useAll } from '../../api/queries.ts'
import { useMay } from '../../session/use-session.ts'
import { cutText } from '../../ui/cut-text.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { QueryFailure } from '../../ui/failure.tsx'
import { ListTable } from '../../ui/list-table.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { useLanguage } from '../../ui/preferences.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import { type Fitting, useFittingColumns } from '../../ui/use-fitting-columns.ts'
import { When } from '../../ui/when.tsx'
import type { PageProps } from '../page-props.ts'
import { type AuditEntry, useAuditWords } from './audit-words.ts'
import { operationName } from './operation-names.ts'
import './audit.css'

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
      {entries.isError && <QueryFailure query={entries} />}
      {entries.isPending && <Loading />}
      {entries.data && (
        <AuditTable
          entries={entries.data.pages.flatMap(page => page.items)}
          emptyText={actor || wanted ? words.empty : words.none}
        />
      )}
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
  const shown = Object.entries(values).map(([name, value]) => `${name}: ${shortened(value)}`)
  if (Array.isArray(changed)) shown.push(words.changed(changed.join(', ')))
  const text = shown.join(' · ')
  return (
    <span className="small audit-value" title={text}>
      {text}
    </span>
  )
}

const maxShown = 160

/** Lists of ids are long; the API has them whole. */
function shortened(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const count = Array.isArray(value) ? ` (${value.length})` : ''
  return text.length <= maxShown ? text : `${cutText(text, maxShown)}…${count}`
}

function AuditTable({ entries, emptyText }: { entries: AuditEntry[]; emptyText: string }) {
  const words = useAuditWords()
  const language = useLanguage()
  const all: Fitting<TableColumnsType<AuditEntry>[number]>[] = [
    { title: words.time, dataIndex: 'at', width: 120, render: (time: string) => <When time={time} /> },
    {
      title: words.actor,
      dataIndex: 'actor_name',
      width: 120,
      render: (name: string, { actor_id }) => (actor_id === '' ? words.commandLine : name),
    },
    {
      title: words.change,
      dataIndex: 'operation',
      width: 240,
      render: (operation: string, { object_id }) => (
        <>
          {operationName(language, operation)} <code className="small audit-object">{object_id}</code>
        </>
      ),
    },
    { title: words.details, key: 'details', render: (_, entry) => <Details details={entry.details} /> },
    { title: words.address, dataIndex: 'address', width: 130, from: 1100 },
  ]
  const { container, columns } = useFittingColumns(all)
  return (
    <div ref={container}>
      <ListTable
        rowKey="id"
        tableLayout="fixed"
        columns={columns}
        dataSource={entries}
        pagination={false}
        locale={{ emptyText }}
      />
    </div>
  )
}
