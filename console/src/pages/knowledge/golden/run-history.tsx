import { ListTable } from '../../../ui/list-table.tsx'
import { When } from '../../../ui/when.tsx'
import { defineWords } from '../../../ui/words.ts'
import { type GoldenRun, goldenHref, isActive, pageSize } from './golden-data.ts'
import { GoldenStatus } from './golden-status.tsx'
import { useReasonWords } from './golden-words.ts'

const useWords = defineWords(
  {
    title: 'Runs',
    started: 'Started',
    reason: 'Reason',
    by: (name: string) => `by ${name}`,
    status: 'Status',
    found: 'Found',
    lost: 'Lost',
    mrr: 'MRR',
    mrrAbout: 'Mean reciprocal rank: 1 if every expected passage comes first',
  },
  {
    title: '运行记录',
    started: '开始时间',
    reason: '原因',
    by: (name: string) => `${name} 启动`,
    status: '状态',
    found: '找到',
    lost: '丢失',
    mrr: 'MRR',
    mrrAbout: '平均倒数排名：预期的段落都排第一时为 1',
  },
)

interface RunHistoryProps {
  knowledgeId: string
  runs: { items: GoldenRun[]; total: number }
  page: number
  onPage(page: number): void
}

/** The runs of golden questions, newest first. */
export function RunHistory({ knowledgeId, runs, page, onPage }: RunHistoryProps) {
  const words = useWords()
  const reasons = useReasonWords()
  const figure = (run: GoldenRun, text: string): string => (isActive(run) || run.total === 0 ? '–' : text)
  return (
    <section aria-label={words.title}>
      <h2 className="golden-heading">{words.title}</h2>
      <ListTable<GoldenRun>
        className="golden-table golden-runs"
        rowKey="id"
        dataSource={runs.items}
        pagination={{
          ...{ current: page, pageSize, total: runs.total, onChange: onPage },
        }}
        columns={[
          {
            title: words.started,
            render: (_, { id, created_at }) => (
              <a href={goldenHref(knowledgeId, id)}>
                <When time={created_at} />
              </a>
            ),
          },
          {
            title: words.reason,
            render: (_, { reason, started_by }) => (
              <>
                {reasons[reason]}{' '}
                {started_by !== '' && <span className="soft small">{words.by(started_by)}</span>}
              </>
            ),
          },
          {
            title: words.status,
            render: (_, run) => <GoldenStatus run={run} />,
          },
          {
            title: words.found,
            align: 'right',
            render: (_, run) => figure(run, `${run.hits} / ${run.total}`),
          },
          { title: words.lost, align: 'right', render: (_, run) => figure(run, `${run.lost}`) },
          {
            title: <abbr title={words.mrrAbout}>{words.mrr}</abbr>,
            align: 'right',
            render: (_, run) => figure(run, run.mrr.toFixed(2)),
          },
        ]}
      />
    </section>
  )
}
