import { Alert, Button, Progress, Segmented } from 'antd'
import { useEffect, useState } from 'react'
import { useMay } from '../../../session/use-session.ts'
import { QueryFailure } from '../../../ui/failure.tsx'
import { ListTable } from '../../../ui/list-table.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { useLanguage } from '../../../ui/preferences.ts'
import { explainSentence } from '../../../ui/server-texts/message-facts.ts'
import { When } from '../../../ui/when.tsx'
import { defineWords } from '../../../ui/words.ts'
import { type KnowledgeBase, useRefreshKnowledge } from '../use-knowledge.ts'
import {
  type GoldenResult,
  type GoldenRun,
  goldenHref,
  isActive,
  useDecision,
  useRun,
  useStartRun,
} from './golden-data.ts'
import { GoldenOutcome } from './golden-outcome.tsx'
import { GoldenStatus } from './golden-status.tsx'
import { useGoldenWords, useReasonWords } from './golden-words.ts'

const useWords = defineWords(
  {
    all: 'All golden questions',
    progress: 'Progress',
    result: 'Result',
    first: 'Found first',
    filter: 'Which results',
    every: 'All',
    none: 'No matching results.',
    failed: 'The questions could not be checked',
    retrying: 'The questions could not be checked yet. The server will retry.',
    manualLost: 'Questions are no longer found',
    manualAbout:
      'Later runs are compared with the last run that passed or was accepted. Accept this run to compare with it from now on.',
    accept: 'Accept this run',
    index: 'The results of the new index are compared with those of the current index.',
    retrieval: 'The results with the new search options are compared with those of the previous options.',
    manual: 'The results are compared with the last run that passed or was accepted.',
  },
  {
    all: '全部标准问题',
    progress: '进度',
    result: '结果',
    first: '排在第一的文档',
    filter: '显示哪些结果',
    every: '全部',
    none: '没有这样的结果。',
    failed: '无法检查这些问题',
    retrying: '暂时无法检查这些问题，服务器会重试。',
    manualLost: '有问题不再能找到',
    manualAbout: '之后的运行会与最近一次通过或被接受的运行比较。接受这次运行后，将与它比较。',
    accept: '接受这次运行',
    index: '新索引的结果与现有索引的结果比较。',
    retrieval: '使用新搜索选项的结果与使用之前选项的结果比较。',
    manual: '结果与最近一次通过或被接受的运行比较。',
  },
)

/** One run of the golden questions: its progress, then the result of each question. */
export function GoldenRunView({ base, runId }: { base: KnowledgeBase; runId: string }) {
  const words = useWords()
  const knowledgeId = base.knowledge_id
  const found = useRun(knowledgeId, runId)
  const refresh = useRefreshKnowledge()
  const isRunning = found.data !== undefined && isActive(found.data.run)
  const [wasRunning, setWasRunning] = useState(false)
  // The history and the last results of the questions are new once it has ended.
  useEffect(() => {
    if (isRunning) setWasRunning(true)
    else if (wasRunning) {
      setWasRunning(false)
      void refresh(knowledgeId)
    }
  }, [isRunning, wasRunning, refresh, knowledgeId])
  return (
    <div className="golden">
      <p className="golden-back">
        <a href={goldenHref(knowledgeId)}>← {words.all}</a>
      </p>
      {found.isError && <QueryFailure query={found} />}
      {found.isPending && <Loading />}
      {found.data && (
        <>
          <RunHead knowledgeId={knowledgeId} run={found.data.run} />
          {!isRunning && found.data.run.status !== 'failed' && (
            <Results results={found.data.results} topK={found.data.run.top_k} />
          )}
        </>
      )}
    </div>
  )
}

function RunHead({ knowledgeId, run }: { knowledgeId: string; run: GoldenRun }) {
  const words = useWords()
  const shared = useGoldenWords()
  const reasons = useReasonWords()
  const may = useMay()
  const language = useLanguage()
  const starting = useStartRun(knowledgeId)
  const { status, reason, total, done, hits, lost, mrr, error } = run
  const isRunning = isActive(run)
  return (
    <>
      <div className="golden-bar">
        <GoldenStatus run={run} />
        <span>{reasons[reason]}</span>
        <span className="soft">
          <When time={run.created_at} />
        </span>
        {isRunning ? (
          <Progress
            className="golden-progress"
            aria-label={words.progress}
            percent={Math.round((100 * done) / Math.max(1, total))}
            format={() => `${done} / ${total}`}
          />
        ) : (
          total > 0 && (
            <span role="status" className="golden-figures">
              {shared.foundOf(hits, total)} · {shared.lostCount(lost)} · MRR {mrr.toFixed(2)}
            </span>
          )
        )}
        {may.write && !isRunning && (
          <Button loading={starting.isPending} onClick={() => starting.mutate()}>
            {shared.run}
          </Button>
        )}
      </div>
      {error !== '' && (
        <Alert
          type={status === 'failed' ? 'error' : 'warning'}
          showIcon
          title={status === 'failed' ? words.failed : words.retrying}
          description={explainSentence(language, error)}
        />
      )}
      {reason === 'manual' && status === 'lost' ? (
        <AcceptManual knowledgeId={knowledgeId} run={run} />
      ) : (
        <p className="soft small">{words[reason]}</p>
      )}
    </>
  )
}

/** A manual run changes nothing. Accepting it makes it the run that later runs are compared with. */
function AcceptManual({ knowledgeId, run }: { knowledgeId: string; run: GoldenRun }) {
  const words = useWords()
  const may = useMay()
  const deciding = useDecision(knowledgeId, run.id)
  return (
    <Alert
      type="warning"
      showIcon
      title={words.manualLost}
      description={words.manualAbout}
      {...(may.write && {
        action: (
          <Button loading={deciding.isPending} onClick={() => deciding.mutate('accept')}>
            {words.accept}
          </Button>
        ),
      })}
    />
  )
}

const filters = ['every', 'lost', 'not_found', 'found', 'no_document'] as const

function Results({ results, topK }: { results: readonly GoldenResult[]; topK: number }) {
  const words = useWords()
  const shared = useGoldenWords()
  const [filter, setFilter] = useState<(typeof filters)[number]>('every')
  const counts = new Map<string, number>([['every', results.length]])
  for (const { outcome } of results) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  const shown = results.filter(({ outcome }) => filter === 'every' || outcome === filter)
  return (
    <>
      <Segmented
        className="golden-filter"
        aria-label={words.filter}
        value={filter}
        options={filters
          .filter(each => each === filter || each === 'every' || counts.has(each))
          .map(value => ({
            value,
            label: `${value === 'every' ? words.every : shared[value]} (${counts.get(value) ?? 0})`,
          }))}
        onChange={setFilter}
      />
      <ListTable<GoldenResult>
        className="golden-table"
        rowKey="question_id"
        dataSource={shown}
        locale={{ emptyText: <span className="soft">{words.none}</span> }}
        pagination={{ pageSize: 50 }}
        columns={[
          {
            title: shared.question,
            width: '45%',
            render: (_, { question }) => <strong className="golden-question">{question}</strong>,
          },
          {
            title: words.result,
            render: (_, result) => <GoldenOutcome result={result} topK={topK} />,
          },
          {
            title: words.first,
            render: (_, { first_name }) => first_name ?? <span className="soft">–</span>,
          },
        ]}
      />
    </>
  )
}
