import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { call } from '../api/call.ts'
import type { CallData } from '../api/operations.ts'
import { rememberSignIn } from '../api/sign-ins.ts'
import { type Holder, onTokenChange, readHolder, rememberWorkspace } from '../api/token.ts'

type Session = CallData<'GET /api/v1/token/self'>

export const useHolder = (): Holder => useSyncExternalStore(onTokenChange, readHolder)

async function readSession(signal: AbortSignal): Promise<Session> {
  const { number } = readHolder()
  const session = await call('GET /api/v1/token/self', { signal })
  // A late response about another session must not affect the current one.
  const { number: now, token } = readHolder()
  if (now !== number || token === undefined) return session
  rememberWorkspace(session.workspace_id)
  const { workspace_id: workspaceId, workspace_name: workspace, name } = session
  rememberSignIn({ token, workspaceId, workspace, name })
  return session
}

/** The current session, as the server sees it. Inside the console's frame it always exists. */
export function useSession() {
  const { token, number } = useHolder()
  return useQuery({
    // Not the token itself: query keys are visible in developer tools.
    queryKey: ['session', number],
    queryFn: ({ signal }) => readSession(signal),
    enabled: token !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** What the role allows; the server decides, the console only hides what would be rejected. */
export function useMay(): { read: boolean; write: boolean; administer: boolean; operate: boolean } {
  const { data } = useSession()
  return {
    read: data !== undefined && data.role !== 'runner',
    write: data?.role === 'admin' || data?.role === 'editor',
    administer: data?.role === 'admin',
    operate: data?.is_operator ?? false,
  }
}
