import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { ItemOf } from '../../api/operations.ts'
import { shownTotal } from '../../ui/shown-total.ts'

export type Run = ItemOf<'GET /api/v1/workflow/runs'>
export type Thing = 'agents' | 'workflows' | 'knowledge' | 'files'

const onePage = { page: 1, page_size: 1 }

async function countAll(signal: AbortSignal): Promise<Record<Thing, string>> {
  const [agents, workflows, knowledge, files] = await Promise.all([
    call('POST /api/v1/agent/list', { body: onePage, signal }),
    call('POST /api/v1/workflow/list', { body: onePage, signal }),
    call('POST /api/v1/knowledge', { body: onePage, signal }),
    call('POST /api/v1/files', { body: onePage, signal }),
  ])
  return {
    agents: shownTotal(agents),
    workflows: shownTotal(workflows),
    knowledge: shownTotal(knowledge),
    files: 'total' in files ? shownTotal(files) : '0',
  }
}

/** How many items there are of each type. */
export const useCounts = () =>
  useQuery({ queryKey: ['overview', 'counts'], queryFn: ({ signal }) => countAll(signal) })

export const useRecentRuns = () =>
  useQuery({
    queryKey: ['overview', 'runs'],
    queryFn: ({ signal }) => call('GET /api/v1/workflow/runs', { query: { page: 1, page_size: 8 }, signal }),
    // Polls while something is running.
    refetchInterval: 5000,
  })

/** The demo agent of the first start, unless it was deleted. */
export const useDemoAgent = () =>
  useQuery({
    queryKey: ['overview', 'demo'],
    queryFn: ({ signal }) => call('POST /api/v1/agent/gets', { body: { id: ['agent_demo'] }, signal }),
    select: ({ agents }) => (agents['agent_demo'] as { exist?: boolean } | undefined)?.exist === true,
  })
