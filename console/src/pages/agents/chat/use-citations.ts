import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { readRun } from './chat-api.ts'
import { type Citation, citationsFor, hasMarks } from './citation-marks.ts'

const none: readonly Citation[] = []

/** What the marks in a reply stand for. The trace of the run tells; it is read only where there are marks. */
export function useCitations(
  runId: string | undefined,
  reply: string,
  isWhole: boolean,
): readonly Citation[] {
  const { data } = useQuery({
    queryKey: ['run-citations', runId],
    // null: queries may not give undefined.
    queryFn: async ({ signal }) => (await readRun(runId!, signal))?.nodes ?? null,
    enabled: isWhole && runId !== undefined && hasMarks(reply),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return useMemo(() => (data ? citationsFor(reply, data) : none), [data, reply])
}
