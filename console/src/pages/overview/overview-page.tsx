import {
  ApiOutlined,
  BookOutlined,
  CheckOutlined,
  CommentOutlined,
  FileAddOutlined,
  FileOutlined,
  NodeIndexOutlined,
  RightOutlined,
  RobotOutlined,
} from '@ant-design/icons'
import { Button } from 'antd'
import { type ReactNode, useId, useState } from 'react'
import { useServer } from '../../api/queries.ts'
import { useMay, useSession } from '../../session/use-session.ts'
import { BanyanDrawing } from '../../ui/banyan-drawing.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { QueryFailure } from '../../ui/failure.tsx'
import { FeatureChecklist, useFeatureWords } from '../../ui/feature-checklist.tsx'
import { Loading } from '../../ui/loading.tsx'
import { useDocumentTitle } from '../../ui/page.tsx'
import { pathTo } from '../../ui/router.ts'
import { readStored, store } from '../../ui/storage.ts'
import { defineWords } from '../../ui/words.ts'
import type { PageProps } from '../page-props.ts'
import { useOverviewWords } from './overview-words.ts'
import { RecentRuns } from './recent-runs.tsx'
import { type Thing, useCounts, useDemoAgent, useRecentRuns } from './use-overview.ts'
import './overview-page.css'

/** The start page: what exists, what is missing, and next steps. */
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
          {server.isError && <QueryFailure query={server} />}
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

const things: { name: Thing; icon: ReactNode }[] = [
  { name: 'agents', icon: <RobotOutlined /> },
  { name: 'workflows', icon: <NodeIndexOutlined /> },
  { name: 'knowledge', icon: <BookOutlined /> },
  { name: 'files', icon: <FileOutlined /> },
]

/** Counts of items, each linking to its page. */
function CountTiles() {
  const words = useOverviewWords()
  const counts = useCounts()
  if (counts.isLoadingError) return <QueryFailure query={counts} />
  return (
    <ul className="count-tiles">
      {things.map(({ name, icon }) => (
        <li key={name}>
          <a href={`#/${name}`}>
            <span className="count-icon" aria-hidden="true">
              {icon}
            </span>
            <span className="count">{counts.data?.[name] ?? '…'}</span>
            <span className="soft">{words[name]}</span>
          </a>
        </li>
      ))}
    </ul>
  )
}

const useWords = defineWords(
  { question: 'What happens after a crash?', command: 'Command' },
  { question: 'Banyan 怎么备份？', command: '命令' },
)

const commandOf = (base: string, agentId: string, question: string): string =>
  `BASE=${base}/api/v1 TOKEN=banyan_…
CONVERSATION=$(curl -s $BASE/conversation/create \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"agent_id": "${agentId}"}' | sed 's/.*"conversation_id":"\\([^"]*\\)".*/\\1/')
curl $BASE/conversation/chat \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"agent_id": "${agentId}", "conversation_id": "'$CONVERSATION'",
       "data_type": "text", "content": "${question}"}'`

/** An API call that chats with an agent of this server. */
function ApiExample() {
  const words = useOverviewWords()
  const own = useWords()
  const may = useMay()
  const demo = useDemoAgent()
  const command = commandOf(window.location.origin, demo.data ? 'agent_demo' : 'agent_…', own.question)
  return (
    <>
      <p className="soft">
        {words.apiAbout} {may.administer ? <a href="#/tokens">{words.makeToken}</a> : words.apiToken}
      </p>
      <div className="api-example">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard */}
        <section tabIndex={0} aria-label={own.command}>
          <pre>{command}</pre>
        </section>
        <CopyButton text={command} label={words.copy} />
      </div>
    </>
  )
}

interface Step {
  isDone: boolean
  href: string
  icon: ReactNode
  title: string
  about: string
}

/** Next steps for this role and state. */
function useSteps(isModelReady: boolean | undefined): Step[] {
  const words = useOverviewWords()
  const may = useMay()
  const demo = useDemoAgent()
  const { data: counts, isLoadingError } = useCounts()
  const hasRuns = (useRecentRuns().data?.items.length ?? 0) > 0
  // The demo counts as one of each.
  const own = (thing: Thing): boolean => Number.parseInt(counts?.[thing] ?? '0', 10) > (demo.data ? 1 : 0)
  // Without the counts every step would look open.
  if (isLoadingError) return []
  const steps: (Step | false)[] = [
    isModelReady !== undefined &&
      may.administer && {
        isDone: isModelReady,
        href: pathTo('models'),
        icon: <ApiOutlined />,
        title: words.addModel,
        about: words.addModelAbout,
      },
    demo.data === true && {
      isDone: hasRuns,
      href: pathTo('agents', 'agent_demo', 'chat'),
      icon: <CommentOutlined />,
      title: words.talk,
      about: isModelReady === false ? words.talkNeeds : words.talkAbout,
    },
    // View-only users are not offered steps that would be rejected.
    may.write && {
      isDone: own('agents'),
      href: pathTo('agents'),
      icon: <RobotOutlined />,
      title: words.createAgent,
      about: words.createAgentAbout,
    },
    may.write && {
      isDone: own('knowledge'),
      href: pathTo('knowledge'),
      icon: <FileAddOutlined />,
      title: words.addDocuments,
      about: words.addDocumentsAbout,
    },
    may.write && {
      isDone: own('workflows'),
      href: pathTo('workflows'),
      icon: <NodeIndexOutlined />,
      title: words.drawWorkflow,
      about: words.drawWorkflowAbout,
    },
  ]
  return steps.filter(step => step !== false)
}

function StepLink({ href, icon, title, about, isDone }: Step) {
  const words = useOverviewWords()
  return (
    <a href={href} className={isDone ? 'step is-done' : 'step'}>
      <span className="step-icon" aria-hidden="true">
        {isDone ? <CheckOutlined /> : icon}
      </span>
      <span>
        <strong>
          {title}
          {isDone && <span className="visually-hidden"> ({words.done})</span>}
        </strong>
        <span className="soft small">{about}</span>
      </span>
      <RightOutlined className="soft" aria-hidden="true" />
    </a>
  )
}

const hiddenKey = 'banyan.first-steps.hidden'

function FirstSteps({ isModelReady }: { isModelReady: boolean | undefined }) {
  const words = useOverviewWords()
  const steps = useSteps(isModelReady)
  const [isHidden, setHidden] = useState(() => readStored(hiddenKey) !== undefined)
  if (steps.length === 0 || isHidden) return null
  const hide = (): void => {
    store(hiddenKey, 'yes')
    setHidden(true)
  }
  return (
    <OverviewCard
      title={words.steps}
      more={
        <Button type="text" size="small" onClick={hide}>
          {words.hideSteps}
        </Button>
      }
    >
      <ol className="steps">
        {steps.map(step => (
          <li key={step.title}>
            <StepLink {...step} />
          </li>
        ))}
      </ol>
    </OverviewCard>
  )
}

function OverviewCard({ title, more, children }: { title: string; more?: ReactNode; children: ReactNode }) {
  const titleId = useId()
  return (
    <section className="overview-card" aria-labelledby={titleId}>
      <div className="overview-card-head">
        <h2 id={titleId}>{title}</h2>
        {more}
      </div>
      {children}
    </section>
  )
}
