import { BookOutlined, FileOutlined, NodeIndexOutlined, RobotOutlined } from '@ant-design/icons'
import type { ReactNode } from 'react'
import { Failure } from '../../ui/failure.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { useOverviewWords } from './overview-words.ts'
import { type Thing, useCounts } from './use-overview.ts'

const things: { name: Thing; icon: ReactNode }[] = [
  { name: 'agents', icon: <RobotOutlined /> },
  { name: 'workflows', icon: <NodeIndexOutlined /> },
  { name: 'knowledge', icon: <BookOutlined /> },
  { name: 'files', icon: <FileOutlined /> },
]

/** How many there are of what, each the way there. */
export function CountTiles() {
  const words = useOverviewWords()
  const { number } = useFormats()
  const counts = useCounts()
  if (counts.isError) return <Failure error={counts.error} onRetry={counts.refetch} />
  return (
    <ul className="count-tiles">
      {things.map(({ name, icon }) => (
        <li key={name}>
          <a href={`#/${name}`}>
            <span className="count-icon" aria-hidden="true">
              {icon}
            </span>
            <span className="count">{counts.data ? number(counts.data[name]) : '…'}</span>
            <span className="soft">{words[name]}</span>
          </a>
        </li>
      ))}
    </ul>
  )
}
