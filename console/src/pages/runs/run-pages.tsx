import type { PageProps } from '../page-props.ts'
import { ComparePage } from './compare-page.tsx'
import { RunPage } from './run-page.tsx'
import { RunsPage } from './runs-page.tsx'

/** All runs, or one of them. */
export function RunPages({ segments, query }: PageProps) {
  const [runId] = segments
  if (runId === 'compare') return <ComparePage query={query} />
  return runId === undefined ? <RunsPage query={query} /> : <RunPage key={runId} runId={runId} />
}
