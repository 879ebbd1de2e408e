import { Button } from 'antd'
import { Failure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { When } from '../../ui/when.tsx'
import { defineWords } from '../../ui/words.ts'
import type { Side } from './side.ts'
import type { Versions } from './use-versions.ts'

const useWords = defineWords(
  {
    versions: 'Versions',
    version: (version: number) => `Version ${version}`,
    newest: 'newest',
    nodes: (count: number) => `${count} ${count === 1 ? 'node' : 'nodes'}`,
    older: 'Show older versions',
  },
  {
    versions: '版本',
    version: (version: number) => `版本 ${version}`,
    newest: '最新',
    nodes: (count: number) => `${count} 个节点`,
    older: '显示更早的版本',
  },
)

interface VersionListProps {
  versions: Versions
  chosen: Side | undefined
  onChoose(version: number): void
}

/** All versions, the newest first; one is chosen to be looked at. */
export function VersionList({ versions, chosen, onChoose }: VersionListProps) {
  const words = useWords()
  const { items, error, isLoading, hasMore, loadMore } = versions
  if (error !== undefined) return <Failure error={error} />
  if (items.length === 0) return <Loading />
  return (
    <nav className="versions" aria-label={words.versions}>
      <ol>
        {items.map(({ version, created_at, node_count }, index) => (
          <li key={version}>
            <button type="button" aria-pressed={chosen === version} onClick={() => onChoose(version)}>
              <span>
                {words.version(version)} {index === 0 && <span className="badge">{words.newest}</span>}
              </span>
              <span className="soft small">
                <When time={created_at} /> · {words.nodes(node_count)}
              </span>
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
