import type { ReactNode } from 'react'
import './badge.css'

export type Tone = 'plain' | 'good' | 'bad' | 'warning' | 'info'

/** A word that says how something stands; its colours keep their contrast in the light and in the dark. */
export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`badge badge-${tone}`}>{children}</span>
}
