import { encodeCursor, Order } from '../../src/database/order.ts'
import { firstTime, listed } from './fill-lists.ts'

/** A request for one page of a list. */
export interface ListCase {
  label: string
  method: 'GET' | 'POST'
  path: string
  body?: object
}

interface ListedKind {
  label: string
  path: string
  /** A GET has its filter in the query, a POST in the body. */
  isGet?: boolean
  filter?: Record<string, string>
  order: Order
  /** The sort keys of row number n. */
  keys(number: number): (string | number)[]
  hasKeyword?: boolean
}

const latest = new Order('updated_at DESC', 'id')
const newest = new Order('created_at DESC', 'id')
const oldest = new Order('created_at', 'id')
const timed = (number: number): (string | number)[] => [firstTime + number * 1000, '']
const base = `/knowledge/${listed.knowledgeId}/files`

const kinds: ListedKind[] = [
  { label: 'workflows', path: '/workflow/list', order: latest, keys: timed, hasKeyword: true },
  {
    label: 'versions',
    path: '/workflow/versions',
    isGet: true,
    filter: { id: listed.workflowId },
    order: new Order('version DESC'),
    keys: number => [number],
  },
  { label: 'runs', path: '/workflow/runs', isGet: true, order: newest, keys: timed },
  {
    label: 'failed runs',
    path: '/workflow/runs',
    isGet: true,
    filter: { status: 'failed' },
    order: newest,
    keys: timed,
  },
  {
    label: 'runs of a workflow',
    path: '/workflow/runs',
    isGet: true,
    filter: { id: 'wf_of_runs_7' },
    order: newest,
    keys: timed,
  },
  { label: 'files', path: '/files', order: newest, keys: timed, hasKeyword: true },
  {
    label: 'files by size',
    path: '/files',
    filter: { sort: 'size', order: 'asc' },
    order: new Order('size', 'id'),
    keys: () => [500, ''],
  },
  { label: 'knowledge bases', path: '/knowledge', order: latest, keys: timed, hasKeyword: true },
  {
    label: 'documents',
    path: base,
    isGet: true,
    order: new Order('d.created_at DESC', 'd.file_id'),
    keys: timed,
    hasKeyword: true,
  },
  {
    label: 'failed documents',
    path: base,
    isGet: true,
    filter: { status: 'failed' },
    order: new Order('d.created_at DESC', 'd.file_id'),
    keys: timed,
  },
  {
    label: 'chunks',
    path: `${base}/${listed.fileId}/chunks`,
    isGet: true,
    order: new Order('c.position'),
    keys: number => [number],
  },
  { label: 'agents', path: '/agent/list', order: latest, keys: timed, hasKeyword: true },
  { label: 'conversations', path: '/conversation/list', order: latest, keys: timed, hasKeyword: true },
  {
    label: 'conversations of a user',
    path: '/conversation/list',
    filter: { user_id: 'user7' },
    order: latest,
    keys: timed,
  },
  { label: 'tokens', path: '/token/list', order: oldest, keys: timed },
  { label: 'workspaces', path: '/workspace/list', order: oldest, keys: timed },
]

/**
 * Keywords in one row of the middle, in one of twenty, in all and in none; then two characters, and one in one row,
 * most rows and none.
 */
const keywords = ['needle', 'twentieth', 'item', 'nothing at all', '客服', '鲸', '7', '鳄']

function request(
  { label, path, isGet, filter = {} }: ListedKind,
  how: string,
  more: Record<string, string | number>,
) {
  const fields = { ...filter, ...more }
  const query = new URLSearchParams(
    Object.entries(fields).map(([key, value]) => [key, String(value)] as [string, string]),
  )
  const named = `${label}, ${how}`
  return isGet
    ? { label: named, method: 'GET' as const, path: `${path}?${query}` }
    : { label: named, method: 'POST' as const, path, body: fields }
}

/** Every way to open a list of `count` rows. */
export function listCases(count: number): ListCase[] {
  const cases = kinds.flatMap((kind): ListCase[] => {
    const cursor = encodeCursor(kind.order, { page: 2, values: kind.keys(count >> 1) })
    return [
      request(kind, 'first page', {}),
      request(kind, 'page 50 by number', { page: 50 }),
      request(kind, 'deep page by cursor', { cursor }),
      ...(kind.hasKeyword ? keywords : []).map(keyword => request(kind, `keyword ${keyword}`, { keyword })),
    ]
  })
  const talk = { agent_id: listed.agentId, conversation_id: listed.conversationId, limit: 20 }
  const year = new URLSearchParams({
    from: new Date(firstTime - 365 * 86_400_000).toISOString().slice(0, 10),
    to: new Date(firstTime).toISOString().slice(0, 10),
  })
  return [
    ...cases,
    {
      label: 'messages, newest',
      method: 'POST',
      path: '/conversation/retrieve',
      body: { ...talk, offset: 0 },
    },
    {
      label: 'messages, deep',
      method: 'POST',
      path: '/conversation/retrieve',
      body: { ...talk, offset: count >> 1 },
    },
    { label: 'usage of a year', method: 'GET', path: `/usage?${year}` },
  ]
}
