import type { ReactNode } from 'react'
import './wide-table.css'

/**
 * Lets a table scroll horizontally in a narrow window. Ant Design's own scrolling adds a hidden copy of the
 * header, which keyboard users would reach.
 */
export function WideTable({ children }: { children: ReactNode }) {
  return <div className="wide-table">{children}</div>
}
