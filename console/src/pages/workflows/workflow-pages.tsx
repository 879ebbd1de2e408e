import { Suspense } from 'react'
import { lazyPage } from '../../ui/lazy-page.ts'
import { Loading } from '../../ui/loading.tsx'
import type { PageProps } from '../page-props.ts'
import { WorkflowList } from './workflow-list.tsx'

// The canvas is most of the console's code: the list does not load it.
const EditorPage = lazyPage(async () => (await import('./editor-page.tsx')).EditorPage)
const WorkflowTestsPage = lazyPage(async () => (await import('./tests-page.tsx')).WorkflowTestsPage)

/** `#/workflows` is the list, `#/workflows/<id>` the editor, `#/workflows/<id>/tests` its test sets. */
export function WorkflowPages({ segments, query }: PageProps) {
  const [id, part, setId] = segments
  if (id === undefined) return <WorkflowList />
  if (part === 'tests')
    return (
      <Suspense fallback={<Loading />}>
        <WorkflowTestsPage key={id} id={id} setId={setId} />
      </Suspense>
    )
  return (
    <Suspense fallback={<Loading />}>
      <EditorPage key={id} id={id} showsRun={query.has('run')} />
    </Suspense>
  )
}
