import type { ReactNode } from 'react'
import './wide-table.css'

/**
 * Lets a table scroll sideways in a narrow window. Ant Design's own way hides a second copy of the headings in the
 * table, which the keyboard would come across.
 */
export function WideTable({ children }: { children: ReactNode }) {
  return <div className="wide-table">{children}</div>
}
