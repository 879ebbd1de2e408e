import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { CallInput } from '../../api/operations.ts'
import { type Publication, useWorkflowEditor } from '../workflow-editor.ts'

const keyOf = (workflowId: string) => ['workflow-publication', workflowId]
const none: Publication = { version: null, at: null }
const freshMilliseconds = 30_000

/** The currently published version, also if another user published it. */
export function usePublication(): Publication {
  const { workflowId, published } = useWorkflowEditor()
  const query = useQuery({
    queryKey: keyOf(workflowId),
    queryFn: async ({ signal }): Promise<Publication> => {
      const { workflow } = await call('GET /api/v1/workflow', { query: { id: workflowId }, signal })
      return workflow ? { version: workflow.published_version, at: workflow.published_at } : none
    },
    initialData: published,
    staleTime: freshMilliseconds,
  })
  return query.data
}

async function showPublication(queries: QueryClient, workflowId: string, now: Publication): Promise<void> {
  queries.setQueryData(keyOf(workflowId), now)
  await Promise.all([
    queries.invalidateQueries({ queryKey: ['workflow-versions', workflowId] }),
    queries.invalidateQueries({ queryKey: ['workflows'] }),
  ])
}

type PublishRequest = Omit<CallInput<'POST /api/v1/workflow/publish'>['body'], 'id'>

/** Publishes a version, or withdraws the published one. */
export function usePublish() {
  const { workflowId } = useWorkflowEditor()
  const queries = useQueryClient()
  return {
    /** Returns the warnings of test sets. */
    publish: async (request: PublishRequest): Promise<string[]> => {
      const body = { id: workflowId, ...request }
      const { published_version, published_at, warnings } = await call('POST /api/v1/workflow/publish', {
        body,
      })
      await showPublication(queries, workflowId, { version: published_version, at: published_at })
      return warnings
    },
    unpublish: async (): Promise<void> => {
      await call('POST /api/v1/workflow/unpublish', { body: { id: workflowId } })
      await showPublication(queries, workflowId, none)
    },
  }
}
