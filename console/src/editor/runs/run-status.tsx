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
import type { NodeStatus, RunStatus } from './run-view.ts'
import { useRunWords } from './run-words.ts'
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

/** How a run or a node stands, as a sign. Its words are there for those who do not see it. */
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
