import { DeleteOutlined, MoreOutlined, SearchOutlined, SettingOutlined } from '@ant-design/icons'
import { Button, Dropdown } from 'antd'
import { useState } from 'react'
import { useMay } from '../../session/use-session.ts'
import { navigate, pathTo } from '../../ui/router.ts'
import { When } from '../../ui/when.tsx'
import { defineWords } from '../../ui/words.ts'
import { BaseStatus } from './base-status.tsx'
import { DeleteKnowledge } from './delete-knowledge.tsx'
import type { KnowledgeBase } from './use-knowledge.ts'

const useWords = defineWords(
  {
    documents: (count: number) => (count === 1 ? '1 document' : `${count} documents`),
    chunks: (count: number) => (count === 1 ? '1 passage' : `${count} passages`),
    failed: (count: number) => `${count} failed`,
    changed: 'Updated',
    more: (name: string) => `More actions for ${name}`,
    search: 'Search',
    settings: 'Settings',
    remove: 'Delete…',
  },
  {
    documents: (count: number) => `${count} 个文档`,
    chunks: (count: number) => `${count} 个段落`,
    failed: (count: number) => `${count} 个失败`,
    changed: '更新于',
    more: (name: string) => `${name} 的更多操作`,
    search: '搜索',
    settings: '设置',
    remove: '删除…',
  },
)

/** One knowledge base in the list. */
export function KnowledgeCard({ base }: { base: KnowledgeBase }) {
  const words = useWords()
  const may = useMay()
  const [isDeleting, setIsDeleting] = useState(false)
  const href = pathTo('knowledge', base.knowledge_id)
  const items = [
    { key: 'search', icon: <SearchOutlined aria-hidden />, label: words.search },
    { key: 'settings', icon: <SettingOutlined aria-hidden />, label: words.settings },
    ...(may.write
      ? [{ key: 'delete', icon: <DeleteOutlined aria-hidden />, label: words.remove, danger: true as const }]
      : []),
  ]
  return (
    <li className="knowledge-card">
      <div className="knowledge-card-head">
        <h2>
          <a href={href}>{base.name}</a>
        </h2>
        <Dropdown
          trigger={['click']}
          menu={{
            items,
            onClick: ({ key }) => (key === 'delete' ? setIsDeleting(true) : navigate(`${href}/${key}`)),
          }}
        >
          <Button
            type="text"
            size="small"
            icon={<MoreOutlined aria-hidden />}
            aria-label={words.more(base.name)}
          />
        </Dropdown>
      </div>
      <p className="soft knowledge-card-about">{base.description}</p>
      <div className="knowledge-card-counts">
        <span>{words.documents(base.document_count)}</span>
        <span>{words.chunks(base.chunk_count)}</span>
        {base.failed_count > 0 && <span className="kb-danger">{words.failed(base.failed_count)}</span>}
      </div>
      <div className="knowledge-card-foot small">
        <BaseStatus base={base} />
        <span className="soft">
          {words.changed} <When time={base.updated_at} />
        </span>
      </div>
      <DeleteKnowledge base={base} open={isDeleting} onClose={() => setIsDeleting(false)} />
    </li>
  )
}
