import type { ReactNode } from 'react'
import './badge.css'

export type Tone = 'plain' | 'good' | 'bad' | 'warning' | 'info'

/** A status label whose colours keep their contrast in both themes. */
export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`badge badge-${tone}`}>{children}</span>
}
