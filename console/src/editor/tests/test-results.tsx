import { useMutation } from '@tanstack/react-query'
import { Button, Progress, Segmented, Select } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { QueryFailure, useFailureToast } from '../../ui/failure.tsx'
import { formatDuration } from '../../ui/format-duration.ts'
import { ListTable } from '../../ui/list-table.tsx'
import { Loading } from '../../ui/loading.tsx'
import { pathTo } from '../../ui/router.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { defineWords } from '../../ui/words.ts'
import { isActive, type TestResult, type TestRun, useResults } from './test-set-data.ts'
import { expectedValue, useTestWords, useVerdict } from './test-words.ts'

const useWords = defineWords(
  {
    run: 'Test run',
    progress: 'Progress',
    stop: 'Stop',
    case: 'Case',
    expected: 'Expected',
    all: 'All',
    failures: 'Failures',
    filter: 'Which results',
    none: 'No case failed.',
    openRun: (name: string, label: string) => `Open the run: ${name}, ${label}`,
    details: 'Run',
    waiting: 'Waiting…',
    noAnswer: 'No answer',
  },
  {
    run: '测试运行',
    progress: '进度',
    stop: '停止',
    case: '用例',
    expected: '期望',
    all: '全部',
    failures: '未通过',
    filter: '显示哪些结果',
    none: '没有未通过的用例。',
    openRun: (name: string, label: string) => `打开运行：${name}，${label}`,
    details: '运行',
    waiting: '等待中…',
    noAnswer: '没有回答',
  },
)

const tones: Readonly<Record<TestResult['status'], Tone>> = {
  open: 'plain',
  passed: 'good',
  failed: 'bad',
  error: 'bad',
  stopped: 'warning',
}

interface CaseRow {
  id: string
  name: string
  query: string
  checks: TestResult['checks']
  byLabel: ReadonlyMap<string, TestResult>
  isFailure: boolean
}

/** One row per case, with the results of all versions. */
function rowsOf(results: readonly TestResult[]): CaseRow[] {
  const cases = Map.groupBy(results, each => each.case_id)
  return [...cases].map(([id, each]) => {
    const { name, inputs, checks } = each[0]!
    const query = inputs['query']
    return {
      ...{ id, name, checks },
      query: typeof query === 'string' ? query : '',
      byLabel: new Map(each.map(result => [result.label, result])),
      isFailure: each.some(({ status }) => status !== 'passed' && status !== 'open'),
    }
  })
}

interface TestResultsProps {
  runs: readonly TestRun[]
  shown: string
  onShow(testRunId: string): void
  mayWrite: boolean
}

/** The results of a test run: one row per case, one column per version. */
export function TestResults({ runs, shown, onShow, mayWrite }: TestResultsProps) {
  const words = useWords()
  const shared = useTestWords()
  const results = useResults(shown)
  const showFailure = useFailureToast()
  const [onlyFailures, setOnlyFailures] = useState(false)
  const stopping = useMutation({
    mutationFn: () => call('POST /api/v1/test/stop', { body: { id: shown } }),
    onSuccess: () => results.refetch(),
    onError: showFailure,
  })
  const { time } = useFormats()
  const run = results.data?.run
  const rows = rowsOf(results.data?.results ?? [])
  const failures = rows.filter(({ isFailure }) => isFailure)
  const done = results.data?.results.filter(({ status }) => status !== 'open').length ?? 0
  return (
    <div className="test-results">
      <div className="test-bar">
        <Select
          className="test-run-select"
          aria-label={words.run}
          value={shown}
          options={runs
            // For a test run in progress, the list is older than its results.
            .map(each => (each.id === run?.id ? run : each))
            .map(each => ({
              value: each.id,
              label: `${time(each.created_at)} · ${shared.passedOf(each.passed, each.total)}`,
            }))}
          onChange={onShow}
        />
        <Segmented
          aria-label={words.filter}
          value={onlyFailures ? 'failures' : 'all'}
          options={[
            { value: 'all', label: `${words.all} (${rows.length})` },
            { value: 'failures', label: `${words.failures} (${failures.length})` },
          ]}
          onChange={value => setOnlyFailures(value === 'failures')}
        />
        {run && (
          <span role="status" className="test-summary">
            {shared.passedOf(run.passed, run.total)}
          </span>
        )}
        {run && isActive(run) && (
          <>
            <Progress
              className="test-progress"
              aria-label={words.progress}
              size="small"
              percent={Math.round((100 * done) / Math.max(1, run.total))}
              format={() => `${done} / ${run.total}`}
            />
            {mayWrite && (
              <Button size="small" loading={stopping.isPending} onClick={() => stopping.mutate()}>
                {words.stop}
              </Button>
            )}
          </>
        )}
      </div>
      {results.isError && <QueryFailure query={results} />}
      {results.isPending && <Loading />}
      {run && (
        <ListTable<CaseRow>
          className="test-table"
          rowKey="id"
          dataSource={onlyFailures ? failures : rows}
          locale={{ emptyText: words.none }}
          pagination={{ pageSize: 50 }}
          columns={[
            {
              title: words.case,
              width: '18%',
              render: (_, { name, query }) => (
                <>
                  <strong className="test-name">{name}</strong>
                  {query !== '' && query !== name && <div className="soft small">{query}</div>}
                </>
              ),
            },
            {
              title: words.expected,
              width: '22%',
              render: (_, { checks }) => <Expected checks={checks} />,
            },
            ...run.versions.map(({ label, version }) => ({
              title: (
                <>
                  {shared[label]}{' '}
                  {version > 0 && <span className="soft small">{shared.version(version)}</span>}
                </>
              ),
              key: label,
              render: (_: unknown, row: CaseRow) => {
                const result = row.byLabel.get(label)
                return result && <ResultCell result={result} isActive={isActive(run)} />
              },
            })),
          ]}
        />
      )}
    </div>
  )
}

/** The checks of a case in words. */
export function Expected({ checks }: { checks: TestResult['checks'] }) {
  const shared = useTestWords()
  if (checks.length === 0) return <span className="soft">{shared.anyAnswer}</span>
  return (
    <ul className="test-expected">
      {checks.map((check, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: checks have no id and are not reordered here
        <li key={at}>
          <span className="soft small">{shared[check.type]}</span>
          <div className="test-text">{expectedValue(check)}</div>
        </li>
      ))}
    </ul>
  )
}

function ResultCell({ result, isActive: isRunning }: { result: TestResult; isActive: boolean }) {
  const words = useWords()
  const shared = useTestWords()
  const verdict = useVerdict()
  const { amount } = useFormats()
  const { status, answer, message, elapsed_ms, cost, tokens, run_id, name, label } = result
  if (status === 'open' && isRunning) return <span className="soft">{words.waiting}</span>
  return (
    <div className="test-cell">
      <div className="test-verdict">
        <Badge tone={tones[status]}>{shared[status]}</Badge>
        {elapsed_ms > 0 && <span className="soft small">{formatDuration(elapsed_ms)}</span>}
        {cost > 0 && <span className="soft small">{amount(cost)}</span>}
        {cost === 0 && tokens > 0 && <span className="soft small">{tokens} token</span>}
        {(status === 'passed' || status === 'failed') && (
          <a className="small" href={pathTo('runs', run_id)} aria-label={words.openRun(name, shared[label])}>
            {words.details}
          </a>
        )}
      </div>
      {verdict(message).map(line => (
        <div key={line} className="test-why small">
          {line}
        </div>
      ))}
      {status !== 'stopped' && status !== 'error' && (
        <div className="test-text">{answer || <span className="soft">{words.noAnswer}</span>}</div>
      )}
    </div>
  )
}
