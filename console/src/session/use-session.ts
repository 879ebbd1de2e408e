import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { call } from '../api/call.ts'
import type { CallData } from '../api/operations.ts'
import { onTokenChange, readToken } from '../api/token.ts'

export type Session = CallData<'GET /api/v1/token/self'>

export const useToken = (): string | undefined => useSyncExternalStore(onTokenChange, readToken)

/** Who is signed in, as the server sees it. Inside the frame of the console it is always there. */
export function useSession() {
  const token = useToken()
  return useQuery({
    // Not the token itself: keys of queries are shown by developer tools.
    queryKey: ['session', token !== undefined],
    queryFn: ({ signal }) => call('GET /api/v1/token/self', { signal }),
    enabled: token !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}

/** What the role allows; the server decides in the end, the console only offers nothing in vain. */
export function useMay(): { write: boolean; administer: boolean; operate: boolean } {
  const { data } = useSession()
  return {
    write: data?.role === 'admin' || data?.role === 'editor',
    administer: data?.role === 'admin',
    operate: data?.is_operator ?? false,
  }
}
