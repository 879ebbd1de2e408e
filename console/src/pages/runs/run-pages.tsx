import type { PageProps } from '../page-props.ts'
import { RunPage } from './run-page.tsx'
import { RunsPage } from './runs-page.tsx'

/** All runs, or one of them. */
export function RunPages({ segments, query }: PageProps) {
  const [runId] = segments
  return runId === undefined ? <RunsPage query={query} /> : <RunPage key={runId} runId={runId} />
}
