import { UploadOutlined } from '@ant-design/icons'
import type { ReactNode } from 'react'
import './drop-cover.css'

/** Covers a page while files are dragged over it, and says what happens to them. */
export function DropCover({ children }: { children: ReactNode }) {
  return (
    <div className="page-drop">
      <UploadOutlined aria-hidden="true" />
      {children}
    </div>
  )
}
