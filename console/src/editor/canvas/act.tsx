import { Button, Tooltip } from 'antd'
import type { ReactNode } from 'react'

interface ActProps {
  title: string
  icon: ReactNode
  danger?: boolean
  onClick(): void
}

/** A button in the toolbar for the selection. */
export function Act({ title, icon, danger = false, onClick }: ActProps) {
  return (
    <Tooltip title={title}>
      <Button type="text" size="small" danger={danger} icon={icon} aria-label={title} onClick={onClick} />
    </Tooltip>
  )
}
