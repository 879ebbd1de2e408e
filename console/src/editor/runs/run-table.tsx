import { Table } from 'antd'
import type { CallData, ItemOf } from '../../api/operations.ts'
import { AgentMark } from '../../ui/agent-mark.tsx'
import { formatDuration } from '../../ui/format-duration.ts'
import { navigate, pathTo } from '../../ui/router.ts'
import { shownTotal } from '../../ui/shown-total.ts'
import { useFittingColumns } from '../../ui/use-fitting-columns.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { When } from '../../ui/when.tsx'
import { defineWords } from '../../ui/words.ts'
import { RunOutcome } from './run-outcome.tsx'
import { StatusTag, useRunWords } from './run-status.tsx'
import { plainStart } from './run-texts.ts'
import { isSettled } from './run-view.ts'
import { useNames } from './use-names.ts'
import './run-table.css'

const useWords = defineWords(
  {
    status: 'Status',
    what: 'Run',
    trigger: 'Type',
    duration: 'Duration',
    tokens: 'Tokens',
    started: 'Started',
    cost: 'Cost',
    select: 'Select',
    selectRun: (question: string) => `Select: ${question}`,
    total: (count: string) => (count === '1' ? '1 run' : `${count} runs`),
  },
  {
    status: '状态',
    what: '运行',
    trigger: '类型',
    duration: '耗时',
    tokens: 'Token',
    started: '开始时间',
    cost: '费用',
    select: '选择',
    selectRun: (question: string) => `选择：${question}`,
    total: (count: string) => `共 ${count} 次运行`,
  },
)

type Run = ItemOf<'GET /api/v1/workflow/runs'>

export function RunTable({
  page,
  onPage,
  chosen,
  onChoose,
}: {
  page: CallData<'GET /api/v1/workflow/runs'>
  onPage(page: number): void
  /** Ids of the selected runs; undefined if runs cannot be selected. */
  chosen?: readonly string[]
  onChoose?(ids: readonly string[]): void
}) {
  const words = useWords()
  const { container, columns } = useFittingColumns(useColumns(page.items))
  return (
    <div ref={container} className="run-table-space">
      <Table<Run>
        className="run-table"
        rowKey="run_id"
        size="middle"
        columns={columns}
        dataSource={page.items}
        {...(chosen &&
          onChoose && {
            rowSelection: {
              columnTitle: <span className="visually-hidden">{words.select}</span>,
              preserveSelectedRowKeys: true,
              selectedRowKeys: [...chosen],
              // Two runs can be compared, so a third one replaces the first.
              onChange: keys => onChoose(keys.slice(-2).map(String)),
              getCheckboxProps: run => ({ 'aria-label': words.selectRun(run.question || run.run_id) }),
            },
          })}
        onRow={run => ({ onClick: () => navigate(pathTo('runs', run.run_id)) })}
        pagination={{
          current: page.page,
          pageSize: page.page_size,
          total: page.total,
          onChange: onPage,
          showSizeChanger: false,
          showTotal: () => words.total(shownTotal(page)),
        }}
      />
    </div>
  )
}

function useColumns(runs: readonly Run[]) {
  const { amount } = useFormats()
  const hasCost = runs.some(run => run.cost > 0)
  const words = useWords()
  const runWords = useRunWords()
  const { workflowName, agentName, agentAvatar } = useNames()
  const nameOf = (run: Run): string =>
    run.agent_id !== ''
      ? agentName(run.agent_id)
      : run.workflow_id !== ''
        ? workflowName(run.workflow_id)
        : run.run_id
  return [
    {
      key: 'what',
      title: words.what,
      render: (_: unknown, run: Run) => (
        <div className="run-what">
          <span className="run-what-name">
            {run.agent_id !== '' && (
              <AgentMark name={nameOf(run)} avatar={agentAvatar(run.agent_id)} size="small" />
            )}
            <a href={pathTo('runs', run.run_id)} onClick={event => event.stopPropagation()}>
              {nameOf(run)}
            </a>
          </span>
          {run.question !== '' && <span>{plainStart(run.question)}</span>}
          <span className="soft small">
            <RunOutcome run={run} />
          </span>
        </div>
      ),
    },
    {
      key: 'status',
      title: words.status,
      render: (_: unknown, run: Run) => <StatusTag status={run.status} />,
    },
    {
      key: 'trigger',
      title: words.trigger,
      from: 820,
      render: (_: unknown, run: Run) => runWords[run.trigger],
    },
    {
      key: 'duration',
      title: words.duration,
      align: 'right' as const,
      render: (_: unknown, run: Run) => (isSettled(run.status) ? formatDuration(run.elapsed_ms) : '…'),
    },
    {
      key: 'tokens',
      from: 680,
      title: words.tokens,
      align: 'right' as const,
      render: (_: unknown, run: Run) => run.usage.total_tokens.toLocaleString('en'),
    },
    ...(hasCost
      ? [
          {
            key: 'cost',
            title: words.cost,
            align: 'right' as const,
            render: (_: unknown, run: Run) => (run.cost > 0 ? amount(run.cost) : '—'),
          },
        ]
      : []),
    {
      key: 'started',
      title: words.started,
      render: (_: unknown, run: Run) => <When time={run.created_at} />,
    },
  ]
}
