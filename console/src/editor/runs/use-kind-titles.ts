import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { useLanguage } from '../../ui/preferences.ts'

/** What people call a kind of node; its own name where the server knows none. */
export function useKindTitles(): (kind: string) => string {
  const language = useLanguage()
  const { data } = useQuery({
    queryKey: ['workflow-kinds'],
    queryFn: ({ signal }) => call('GET /api/v1/workflow/kinds', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return kind => data?.kinds.find(each => each.kind === kind)?.title[language] ?? kind
}
