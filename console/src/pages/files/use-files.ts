import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { CallInput, ItemOf } from '../../api/operations.ts'

export type StoredFile = ItemOf<'POST /api/v1/files'>

type Body = CallInput<'POST /api/v1/files'>['body']

/** The page and sort order of the file list. */
export interface FileView {
  keyword: string
  page: number
  pageSize: number
  sort: NonNullable<Body['sort']>
  order: NonNullable<Body['order']>
}

export const firstView: FileView = { keyword: '', page: 1, pageSize: 20, sort: 'created_at', order: 'desc' }

/** Query key prefix of all pages. */
export const filesKey = ['files'] as const

async function listFiles({ keyword, page, pageSize, sort, order }: FileView, signal: AbortSignal) {
  const body = { keyword: keyword.trim(), page, page_size: pageSize, sort, order }
  const answer = await call('POST /api/v1/files', { body, signal })
  // Without ids the response is a page.
  if (!('total' in answer)) throw new Error('The files were looked up by id')
  return answer
}

export const useFiles = (view: FileView) =>
  useQuery({
    queryKey: [...filesKey, view],
    queryFn: ({ signal }) => listFiles(view, signal),
    placeholderData: keepPreviousData,
  })
