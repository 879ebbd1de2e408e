import { lazy, Suspense } from 'react'
import { Loading } from '../../ui/loading.tsx'
import type { PageProps } from '../page-props.ts'
import { WorkflowList } from './workflow-list.tsx'

// The canvas is most of the console's code: the list does not load it.
const EditorPage = lazy(async () => ({ default: (await import('./editor-page.tsx')).EditorPage }))

/** `#/workflows` is the list, `#/workflows/<id>` the editor. */
export function WorkflowPages({ segments, query }: PageProps) {
  const [id] = segments
  if (id === undefined) return <WorkflowList />
  return (
    <Suspense fallback={<Loading />}>
      <EditorPage key={id} id={id} showsRun={query.has('run')} />
    </Suspense>
  )
}
