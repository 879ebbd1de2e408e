import { Table } from 'antd'
import type { CallData, ItemOf } from '../../api/operations.ts'
import { navigate, pathTo } from '../../ui/router.ts'
import { shownTotal } from '../../ui/shown-total.ts'
import { When } from '../../ui/when.tsx'
import { defineWords } from '../../ui/words.ts'
import { RunOutcome } from './run-outcome.tsx'
import { StatusTag, useRunWords } from './run-status.tsx'
import { formatDuration } from './run-texts.ts'
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
    total: (count: string) => (count === '1' ? '1 run' : `${count} runs`),
  },
  {
    status: '状态',
    what: '运行',
    trigger: '类型',
    duration: '耗时',
    tokens: 'Token',
    started: '开始时间',
    total: (count: string) => `共 ${count} 次运行`,
  },
)

type Run = ItemOf<'GET /api/v1/workflow/runs'>

export function RunTable({
  page,
  onPage,
}: {
  page: CallData<'GET /api/v1/workflow/runs'>
  onPage(page: number): void
}) {
  const words = useWords()
  const columns = useColumns()
  return (
    <Table<Run>
      className="run-table"
      rowKey="run_id"
      size="middle"
      columns={columns}
      dataSource={page.items}
      scroll={{ x: 'max-content' }}
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
  )
}

function useColumns() {
  const words = useWords()
  const runWords = useRunWords()
  const { workflowName, agentName } = useNames()
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
          <a href={pathTo('runs', run.run_id)} onClick={event => event.stopPropagation()}>
            {nameOf(run)}
          </a>
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
    { key: 'trigger', title: words.trigger, render: (_: unknown, run: Run) => runWords[run.trigger] },
    {
      key: 'duration',
      title: words.duration,
      align: 'right' as const,
      render: (_: unknown, run: Run) => (isSettled(run.status) ? formatDuration(run.elapsed_ms) : '…'),
    },
    {
      key: 'tokens',
      title: words.tokens,
      align: 'right' as const,
      render: (_: unknown, run: Run) => run.usage.total_tokens.toLocaleString('en'),
    },
    {
      key: 'started',
      title: words.started,
      render: (_: unknown, run: Run) => <When time={run.created_at} />,
    },
  ]
}
