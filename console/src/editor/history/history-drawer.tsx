import { Drawer } from 'antd'
import { useEffect, useState } from 'react'
import { defineWords } from '../../ui/words.ts'
import { useWorkflowEditor } from '../workflow-editor.ts'
import { ComparePane } from './compare-pane.tsx'
import type { Side } from './side.ts'
import { useVersions } from './use-versions.ts'
import { VersionList } from './version-list.tsx'
import './history.css'

const useWords = defineWords({ title: 'History' }, { title: '历史版本' })

/** Old versions, what differs, and the way back to one. */
export function HistoryDrawer({ open, onClose }: { open: boolean; onClose(): void }) {
  const words = useWords()
  return (
    <Drawer
      open={open}
      onClose={onClose}
      title={words.title}
      size="min(68rem, 100vw)"
      destroyOnHidden
      classNames={{ body: 'history-body' }}
    >
      <History onClose={onClose} />
    </Drawer>
  )
}

function History({ onClose }: { onClose(): void }) {
  const { saving } = useWorkflowEditor()
  const versions = useVersions()
  const [chosen, choose] = useState<Side>()
  const [against, compare] = useState<Side>('now')
  const { flush } = saving
  // With everything saved, what is being edited is the newest version, and rolling back loses nothing.
  useEffect(() => {
    flush().catch(() => {})
  }, [flush])
  // The newest one is what one sees already: the one before it says what changed last.
  const from = chosen ?? versions.items[1]?.version ?? versions.items[0]?.version
  return (
    <div className="history">
      <VersionList versions={versions} chosen={from} onChoose={choose} />
      {from !== undefined && (
        <ComparePane
          from={from}
          to={against}
          items={versions.items}
          onFrom={choose}
          onTo={compare}
          onRolledBack={onClose}
        />
      )}
    </div>
  )
}
