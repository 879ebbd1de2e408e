import { Button, Drawer } from 'antd'
import { useEffect, useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { When } from '../../ui/when.tsx'
import { defineWords } from '../../ui/words.ts'
import { usePublication } from '../publishing/use-publication.ts'
import { useWorkflowEditor } from '../workflow-editor.ts'
import { ComparePane } from './compare-pane.tsx'
import { type Side, useVersions, type VersionItem, type Versions } from './use-versions.ts'
import './history.css'

const useWords = defineWords({ title: 'History' }, { title: '历史版本' })

/** Old versions, their differences, and rolling back. */
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
  // With everything saved, the draft is the newest version, and rolling back loses nothing.
  useEffect(() => {
    flush().catch(() => {})
  }, [flush])
  // The newest version is already on screen; the one before it shows the last change.
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

const useVersionListWords = defineWords(
  {
    versions: 'Versions',
    version: (version: number) => `Version ${version}`,
    newest: 'newest',
    published: 'published',
    wasPublished: 'was published',
    broken: 'cannot run',
    restored: (version: number) => `restored from version ${version}`,
    by: (author: string) => `by ${author}`,
    nodes: (count: number) => `${count} ${count === 1 ? 'node' : 'nodes'}`,
    older: 'Show older versions',
  },
  {
    versions: '版本',
    version: (version: number) => `版本 ${version}`,
    newest: '最新',
    published: '已发布',
    wasPublished: '曾发布',
    broken: '无法运行',
    restored: (version: number) => `恢复自版本 ${version}`,
    by: (author: string) => author,
    nodes: (count: number) => `${count} 个节点`,
    older: '显示更早的版本',
  },
)

interface VersionListProps {
  versions: Versions
  chosen: Side | undefined
  onChoose(version: number): void
}

/** All versions, newest first; one can be selected. */
function VersionList({ versions, chosen, onChoose }: VersionListProps) {
  const words = useVersionListWords()
  const { items, error, isLoading, hasMore, loadMore } = versions
  if (error !== undefined) return <Failure error={error} />
  if (items.length === 0) return <Loading />
  return (
    <nav className="versions" aria-label={words.versions}>
      <ol>
        {items.map((item, index) => (
          <li key={item.version}>
            <button
              type="button"
              aria-pressed={chosen === item.version}
              onClick={() => onChoose(item.version)}
            >
              <VersionSummary item={item} isNewest={index === 0} />
            </button>
          </li>
        ))}
      </ol>
      {hasMore && (
        <Button size="small" block loading={isLoading} onClick={loadMore}>
          {words.older}
        </Button>
      )}
    </nav>
  )
}

/** A version: what it is, who stored it and when, and its note. */
function VersionSummary({ item, isNewest }: { item: VersionItem; isNewest: boolean }) {
  const words = useVersionListWords()
  const published = usePublication().version
  const { version, created_at, node_count, author, note, restored_from, published_at, runnable } = item
  const facts = [
    ...(author === '' ? [] : [words.by(author)]),
    words.nodes(node_count),
    ...(restored_from === null ? [] : [words.restored(restored_from)]),
  ]
  return (
    <>
      <span>
        {words.version(version)} {isNewest && <Badge>{words.newest}</Badge>}{' '}
        {version === published && <Badge tone="good">{words.published}</Badge>}
        {version !== published && published_at !== null && <Badge>{words.wasPublished}</Badge>}{' '}
        {!runnable && <Badge tone="warning">{words.broken}</Badge>}
      </span>
      {note !== '' && <span className="version-note">{note}</span>}
      <span className="soft small">
        <When time={created_at} /> · {facts.join(' · ')}
      </span>
    </>
  )
}
