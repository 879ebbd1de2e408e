import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { Graph } from '../../editor/model/graph.ts'
import { Drafts } from '../../editor/saving/draft.ts'
import { RescueButtons } from '../../editor/saving/rescue-buttons.tsx'
import { isMissing } from '../../editor/saving/workflow-ports.ts'
import { useMay, useSession } from '../../session/use-session.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { QueryFailure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { pathTo } from '../../ui/router.ts'
import { CreateDialog } from './create-dialog.tsx'
import { useEditorWords } from './editor-words.ts'
import { OpenEditor, type OpenedWorkflow } from './open-editor.tsx'

async function openWorkflow(id: string, signal: AbortSignal): Promise<OpenedWorkflow | null> {
  const [{ workflow }, layout] = await Promise.all([
    call('GET /api/v1/workflow', { query: { id }, signal }),
    call('GET /api/v1/workflow/layout', { query: { id }, signal }).catch(error => {
      // A workflow that does not exist has no positions either; positions that cannot be loaded now must not
      // be recreated.
      if (!isMissing(error)) throw error
      return { positions: {}, shapes: {} }
    }),
  ])
  if (!workflow) return null
  const { name, version, config, published_version, published_at } = workflow
  const published = { version: published_version, at: published_at }
  const { positions, shapes } = layout
  return { id, name, version, graph: config as unknown as Graph, positions, shapes, published }
}

/** Loads one workflow and everything its editor needs. */
export function EditorPage({ id, showsRun }: { id: string; showsRun: boolean }) {
  const words = useEditorWords()
  const opened = useQuery({
    queryKey: ['workflow-editor', id],
    queryFn: ({ signal }) => openWorkflow(id, signal),
    // The edited workflow is never replaced by a refetch, also not with another token; opening it again loads it
    // again. One that does not exist may be created.
    staleTime: ({ state }) => (state.data ? 'static' : 0),
    gcTime: 0,
  })
  const kinds = useQuery({
    queryKey: ['workflow-kinds'],
    queryFn: ({ signal }) => call('GET /api/v1/workflow/kinds', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const failed = [opened, kinds].find(({ isLoadingError }) => isLoadingError)
  if (failed)
    return (
      <Page title={id} back={{ href: pathTo('workflows'), title: words.back }}>
        <QueryFailure query={failed} />
      </Page>
    )
  if (opened.data === null) return <MissingWorkflow id={id} />
  if (!opened.data || !kinds.data) return <Loading />
  return <OpenEditor key={opened.dataUpdatedAt} opened={opened.data} kinds={kinds.data} showsRun={showsRun} />
}

function MissingWorkflow({ id }: { id: string }) {
  const words = useEditorWords()
  const may = useMay()
  const [isCreating, setIsCreating] = useState(false)
  const session = useSession()
  const drafts = new Drafts(session.data?.workspace_id ?? '', id)
  const [draft] = useState(() => (may.write ? drafts.read() : undefined))
  return (
    <Page title={words.goneTitle} back={{ href: pathTo('workflows'), title: words.back }}>
      <EmptyState
        title={words.goneTitle}
        actions={
          <>
            <Button href={pathTo('workflows')}>{words.toList}</Button>
            {draft && (
              <RescueButtons
                name={id}
                graph={draft.mine}
                places={draft.places}
                {...(draft.shapes && { shapes: draft.shapes })}
                onSaved={() => drafts.forgetAll()}
              />
            )}
            {may.write && (
              <Button type={draft ? 'default' : 'primary'} onClick={() => setIsCreating(true)}>
                {words.create}
              </Button>
            )}
          </>
        }
      >
        {words.gone(id)} {draft && words.goneDraft}
      </EmptyState>
      <CreateDialog open={isCreating} id={id} onClose={() => setIsCreating(false)} />
    </Page>
  )
}
