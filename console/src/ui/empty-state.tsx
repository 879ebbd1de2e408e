import type { ReactNode } from 'react'
import { BanyanMark } from './banyan-mark.tsx'

/** An empty state: what will be here, and the next step. */
export function EmptyState({
  title,
  children,
  actions,
}: {
  title: string
  children: ReactNode
  actions?: ReactNode
}) {
  return (
    <div className="empty">
      <BanyanMark />
      <h2>{title}</h2>
      <p className="soft">{children}</p>
      {actions && <div className="empty-actions">{actions}</div>}
    </div>
  )
}
