import { useQuery } from '@tanstack/react-query'
import { call } from './call.ts'
import type { CallData } from './operations.ts'

export type Server = CallData<'GET /api/v1/server'>
export type FeatureName = keyof Server['features']
export type Setting = Server['settings'][number]

/** What the server is and what it is set up for. */
export function useServer({ enabled = true } = {}) {
  return useQuery({
    queryKey: ['server'],
    queryFn: ({ signal }) => call('GET /api/v1/server', { signal }),
    enabled,
  })
}
