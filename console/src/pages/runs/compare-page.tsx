import { useQuery } from '@tanstack/react-query'
import { Switch } from 'antd'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { StatusTag } from '../../editor/runs/run-status.tsx'
import type { NodeRecord, RunDetails } from '../../editor/runs/run-view.ts'
import { ValueView } from '../../editor/runs/value-view.tsx'
import { QueryFailure } from '../../ui/failure.tsx'
import { formatDuration } from '../../ui/format-duration.ts'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { useLanguage } from '../../ui/preferences.ts'
import { pathTo } from '../../ui/router.ts'
import { explainInLine } from '../../ui/server-texts/message-facts.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { When } from '../../ui/when.tsx'
import { defineWords } from '../../ui/words.ts'
import { type ComparedNode, compareNodes } from './compare-runs.ts'
import './compare.css'

const useWords = defineWords(
  {
    title: 'Compare two runs',
    runs: 'Runs',
    what: 'What',
    first: 'First run',
    second: 'Second run',
    status: 'Status',
    version: 'Version',
    started: 'Started',
    duration: 'Duration',
    tokens: 'Tokens',
    cost: 'Cost',
    question: 'Question',
    answer: 'Answer',
    overview: 'Overview',
    steps: 'Steps',
    inputs: 'Inputs',
    outputs: 'Outputs',
    onlyDifferent: 'Only steps that differ',
    different: 'differs',
    same: 'same',
    absent: 'did not run',
    allSame: 'All steps have the same inputs and outputs.',
  },
  {
    title: '对比两次运行',
    runs: '运行记录',
    what: '项目',
    first: '第一次运行',
    second: '第二次运行',
    status: '状态',
    version: '版本',
    started: '开始时间',
    duration: '耗时',
    tokens: 'Token',
    cost: '费用',
    question: '问题',
    answer: '回答',
    overview: '概览',
    steps: '步骤',
    inputs: '输入',
    outputs: '输出',
    onlyDifferent: '只看有差异的步骤',
    different: '有差异',
    same: '相同',
    absent: '没有运行',
    allSame: '所有步骤的输入和输出都相同。',
  },
)

const useDetails = (runId: string) =>
  useQuery({
    queryKey: ['runs', 'details', runId],
    queryFn: ({ signal }) =>
      call('GET /api/v1/workflow/runs/{run_id}', { params: { run_id: runId }, signal }),
  })

/** Two runs side by side, step by step. */
export function ComparePage({ query }: { query: URLSearchParams }) {
  const words = useWords()
  const a = useDetails(query.get('a') ?? '')
  const b = useDetails(query.get('b') ?? '')
  const failed = [a, b].find(({ isError }) => isError)
  return (
    <Page title={words.title} back={{ href: pathTo('runs'), title: words.runs }}>
      {failed && <QueryFailure query={failed} />}
      {a.data && b.data ? <Comparison a={a.data} b={b.data} /> : !failed && <Loading />}
    </Page>
  )
}

function Comparison({ a, b }: { a: RunDetails; b: RunDetails }) {
  const words = useWords()
  const [isShort, setIsShort] = useState(false)
  const nodes = compareNodes(a, b)
  const shown = isShort ? nodes.filter(node => node.hasOtherInputs || node.hasOtherOutputs) : nodes
  return (
    <>
      <Overview a={a} b={b} />
      <div className="compare-title">
        <h2>{words.steps}</h2>
        {/* biome-ignore lint/a11y/noLabelWithoutControl: the switch is the control. */}
        <label>
          <Switch size="small" checked={isShort} onChange={setIsShort} aria-label={words.onlyDifferent} />{' '}
          {words.onlyDifferent}
        </label>
      </div>
      {shown.length === 0 && <p className="soft">{words.allSame}</p>}
      <ol className="compare-steps" aria-label={words.steps}>
        {shown.map(node => (
          <StepComparison key={node.path} node={node} />
        ))}
      </ol>
    </>
  )
}

function Overview({ a, b }: { a: RunDetails; b: RunDetails }) {
  const words = useWords()
  const { amount, number } = useFormats()
  const question = ({ inputs }: RunDetails): string =>
    String((inputs as { query?: unknown } | null)?.query ?? '')
  const rows: [string, (run: RunDetails) => ReactNode, (run: RunDetails) => unknown][] = [
    [words.status, run => <StatusTag status={run.status} />, run => run.status],
    [words.version, run => run.version || '—', run => run.version],
    [words.started, run => <When time={run.created_at} />, () => 0],
    [words.duration, run => formatDuration(run.elapsed_ms), () => 0],
    [words.tokens, run => number(run.usage.total_tokens), run => run.usage.total_tokens],
    [words.cost, run => (run.cost > 0 ? amount(run.cost) : '—'), run => run.cost],
    [words.question, question, question],
    [words.answer, run => run.answer, run => run.answer],
  ]
  return (
    <div className="compare-scroll">
      <table className="compare-table" aria-label={words.overview}>
        <thead>
          <tr>
            <th scope="col">{words.what}</th>
            <th scope="col">
              <a href={pathTo('runs', a.run_id)}>{words.first}</a>
            </th>
            <th scope="col">
              <a href={pathTo('runs', b.run_id)}>{words.second}</a>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, show, compared]) => (
            <tr key={name} className={compared(a) === compared(b) ? undefined : 'compare-different'}>
              <th scope="row">{name}</th>
              <td>{show(a)}</td>
              <td>{show(b)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function StepComparison({ node }: { node: ComparedNode }) {
  const words = useWords()
  const isDifferent = node.hasOtherInputs || node.hasOtherOutputs
  return (
    <li>
      <details className={isDifferent ? 'compare-step compare-different' : 'compare-step'}>
        <summary>
          <strong>{node.title || node.path}</strong> <span className="soft small">{node.kind}</span>{' '}
          <span className="small">{isDifferent ? words.different : words.same}</span>
        </summary>
        <div className="compare-sides">
          <StepSide name={words.first} record={node.a} />
          <StepSide name={words.second} record={node.b} />
        </div>
      </details>
    </li>
  )
}

function StepSide({ name, record }: { name: string; record: NodeRecord | undefined }) {
  const words = useWords()
  const { amount, number } = useFormats()
  const language = useLanguage()
  return (
    <section aria-label={name}>
      <h3>{name}</h3>
      {record ? (
        <>
          <p className="compare-figures">
            <StatusTag status={record.status} />
            {record.elapsed_ms !== null && <span>{formatDuration(record.elapsed_ms)}</span>}
            <span>
              {number(record.tokens.total_tokens)} {words.tokens}
            </span>
            {record.cost > 0 && (
              <span>
                {words.cost} {amount(record.cost)}
              </span>
            )}
          </p>
          {record.error && <p className="compare-error">{explainInLine(language, record.error)}</p>}
          {record.inputs !== null && <ValueView title={words.inputs} value={record.inputs} />}
          {record.outputs !== null && <ValueView title={words.outputs} value={record.outputs} />}
        </>
      ) : (
        <p className="soft">{words.absent}</p>
      )}
    </section>
  )
}
