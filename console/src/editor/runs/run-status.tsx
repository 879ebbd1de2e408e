import {
  CheckCircleFilled,
  ClockCircleOutlined,
  CloseCircleFilled,
  LoadingOutlined,
  MinusCircleOutlined,
  PauseCircleFilled,
  StopFilled,
} from '@ant-design/icons'
import type { ReactNode } from 'react'
import { defineWords } from '../../ui/words.ts'
import type { NodeStatus, RunStatus } from './run-view.ts'
import './run-status.css'

type Status = RunStatus | NodeStatus

const icons: Readonly<Record<Status, ReactNode>> = {
  queued: <ClockCircleOutlined aria-hidden />,
  running: <LoadingOutlined aria-hidden />,
  waiting: <PauseCircleFilled aria-hidden />,
  succeeded: <CheckCircleFilled aria-hidden />,
  failed: <CloseCircleFilled aria-hidden />,
  stopped: <StopFilled aria-hidden />,
  skipped: <MinusCircleOutlined aria-hidden />,
}

/** The status of a run or node as an icon, with a text for screen readers. */
export function StatusIcon({ status }: { status: Status }) {
  const words = useRunWords()
  return (
    <span className={`run-icon is-${status}`} title={words[status]}>
      {icons[status]}
      <span className="visually-hidden">{words[status]}</span>
    </span>
  )
}

export function StatusTag({ status }: { status: Status }) {
  const words = useRunWords()
  return (
    <span className={`run-tag is-${status}`}>
      {icons[status]} {words[status]}
    </span>
  )
}

/** Texts for the status of runs and nodes, shared by the editor and the pages. */
export const useRunWords = defineWords(
  {
    queued: 'Queued',
    running: 'Running',
    waiting: 'Waiting for an answer',
    succeeded: 'Succeeded',
    failed: 'Failed',
    stopped: 'Stopped',
    skipped: 'Skipped',
    run: 'Direct run',
    chat: 'Chat',
    debug: 'Single node',
    schedule: 'Schedule',
    webhook: 'Webhook',
    tokens: (count: number) => (count === 1 ? '1 token' : `${count.toLocaleString('en')} tokens`),
  },
  {
    queued: '排队中',
    running: '运行中',
    waiting: '等待回答',
    succeeded: '成功',
    failed: '失败',
    stopped: '已停止',
    skipped: '已跳过',
    run: '直接运行',
    chat: '对话',
    debug: '单节点',
    schedule: '定时',
    webhook: 'Webhook',
    tokens: (count: number) => `${count.toLocaleString('en')} 个 token`,
  },
)
