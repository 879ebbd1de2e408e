import { useServer } from '../../api/use-server.ts'
import { useMay, useSession } from '../../session/use-session.ts'
import { BanyanDrawing } from '../../ui/banyan-drawing.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { FeatureChecklist } from '../../ui/feature-checklist.tsx'
import { useFeatureWords } from '../../ui/feature-words.ts'
import { Loading } from '../../ui/loading.tsx'
import { useDocumentTitle } from '../../ui/use-document-title.ts'
import type { PageProps } from '../page-props.ts'
import { ApiExample } from './api-example.tsx'
import { CountTiles } from './count-tiles.tsx'
import { FirstSteps } from './first-steps.tsx'
import { OverviewCard } from './overview-card.tsx'
import { useOverviewWords } from './overview-words.ts'
import { RecentRuns } from './recent-runs.tsx'
import './overview-page.css'

/** Where everybody arrives: what there is, what is missing, what to do next. */
export function OverviewPage(_: PageProps) {
  const words = useOverviewWords()
  const { data: session } = useSession()
  useDocumentTitle(words.title)
  return (
    <div className="page overview">
      <header className="overview-hero">
        <div>
          <h1>{words.welcome}</h1>
          <p>{words.aboutNew}</p>
          <p className="soft small">{words.about(session?.workspace_name ?? '')}</p>
        </div>
        <BanyanDrawing />
      </header>
      {session?.role === 'runner' ? (
        <EmptyState title={words.runnerTitle}>{words.runner}</EmptyState>
      ) : (
        <Contents />
      )}
    </div>
  )
}

function Contents() {
  const words = useOverviewWords()
  const featureWords = useFeatureWords()
  const may = useMay()
  const server = useServer()
  return (
    <>
      <CountTiles />
      <div className="overview-columns">
        <div className="overview-column">
          <FirstSteps isModelReady={server.data?.features.model.ready} />
          <OverviewCard title={words.runs} more={<a href="#/runs">{words.allRuns}</a>}>
            <RecentRuns />
          </OverviewCard>
        </div>
        <OverviewCard title={featureWords.title}>
          {server.isError && <Failure error={server.error} onRetry={server.refetch} />}
          {server.isPending && <Loading />}
          {server.data && <FeatureChecklist server={server.data} mayAddModels={may.administer} />}
        </OverviewCard>
      </div>
      <OverviewCard
        title={words.api}
        more={
          <a href="/docs" target="_blank" rel="noreferrer">
            {words.reference}
          </a>
        }
      >
        <ApiExample />
      </OverviewCard>
    </>
  )
}
