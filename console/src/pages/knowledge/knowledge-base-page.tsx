import { Alert, Progress, Tabs } from 'antd'
import { QueryFailure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { navigate, pathTo } from '../../ui/router.ts'
import { defineWords } from '../../ui/words.ts'
import { BaseStatus } from './base-status.tsx'
import { DocumentsTab } from './documents-tab.tsx'
import { GoldenCheck } from './golden/golden-check.tsx'
import { GoldenTab } from './golden/golden-tab.tsx'
import { SearchTab } from './search-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'
import { type KnowledgeBase, useKnowledgeBase } from './use-knowledge.ts'
import { WebPagesTab } from './web/web-pages-tab.tsx'
import './knowledge.css'

const useWords = defineWords(
  {
    knowledge: 'Knowledge',
    loading: 'Knowledge base',
    documents: 'Documents',
    pages: 'Web pages',
    search: 'Search',
    golden: 'Golden questions',
    settings: 'Settings',
    counts: (documents: number, chunks: number) =>
      `${documents === 1 ? '1 document' : `${documents} documents`} · ${chunks === 1 ? '1 passage' : `${chunks} passages`}`,
  },
  {
    knowledge: '知识库',
    loading: '知识库',
    documents: '文档',
    pages: '网页',
    search: '搜索',
    golden: '标准问题',
    settings: '设置',
    counts: (documents: number, chunks: number) => `${documents} 个文档 · ${chunks} 个段落`,
  },
)

const tabNames = ['documents', 'pages', 'search', 'golden', 'settings'] as const
type TabName = (typeof tabNames)[number]

export const isTabName = (name: string): name is TabName => (tabNames as readonly string[]).includes(name)

interface KnowledgeBasePageProps {
  knowledgeId: string
  tab: TabName
  query: URLSearchParams
}

/** One knowledge base: documents, web pages, search, golden questions and settings. */
export function KnowledgeBasePage({ knowledgeId, tab, query }: KnowledgeBasePageProps) {
  const words = useWords()
  const found = useKnowledgeBase(knowledgeId)
  const { data: base, error } = found
  const back = { href: pathTo('knowledge'), title: words.knowledge }
  if (!base)
    return (
      <Page title={words.loading} back={back}>
        {error ? <QueryFailure query={found} /> : <Loading />}
      </Page>
    )
  return (
    <Page
      title={base.name}
      back={back}
      {...(base.description !== '' && { about: base.description })}
      actions={
        <span className="knowledge-counts">
          <span className="soft">{words.counts(base.document_count, base.chunk_count)}</span>
          <BaseStatus base={base} />
        </span>
      }
    >
      {error && <QueryFailure query={found} />}
      <GoldenCheck base={base} shownRunId={(tab === 'golden' && query.get('run')) || undefined} />
      <ReindexProgress base={base} />
      <Tabs
        activeKey={tab}
        onChange={name =>
          navigate(
            name === 'documents' ? pathTo('knowledge', knowledgeId) : pathTo('knowledge', knowledgeId, name),
          )
        }
        destroyOnHidden
        items={tabNames.map(name => ({
          key: name,
          label: words[name],
          children: name === tab && <TabContent base={base} tab={name} query={query} />,
        }))}
      />
    </Page>
  )
}

function TabContent({ base, tab, query }: { base: KnowledgeBase; tab: TabName; query: URLSearchParams }) {
  if (tab === 'documents') return <DocumentsTab base={base} query={query} />
  if (tab === 'pages') return <WebPagesTab base={base} query={query} />
  if (tab === 'search') return <SearchTab base={base} query={query} />
  if (tab === 'golden') return <GoldenTab base={base} query={query} />
  return <SettingsTab base={base} />
}

const useReindexProgressWords = defineWords(
  {
    title: (done: number, total: number) => `Re-indexing: ${done} of ${total} documents`,
    about: 'Searches use the previous index until this is done.',
    failed: (count: number) => `${count} failed so far.`,
    progress: 'Re-indexing progress',
  },
  {
    title: (done: number, total: number) => `正在重建索引：已完成 ${done}/${total} 个文档`,
    about: '完成之前，搜索仍使用原来的索引。',
    failed: (count: number) => `目前有 ${count} 个失败。`,
    progress: '重建索引的进度',
  },
)

/** Shown while a change of chunking or embedding is being indexed. */
function ReindexProgress({ base }: { base: KnowledgeBase }) {
  const words = useReindexProgressWords()
  // A complete index waits for its golden questions, which have a message of their own.
  if (!base.reindexing || base.golden_check?.reason === 'index') return null
  const { total, done, failed } = base.reindexing
  return (
    <Alert
      type="info"
      showIcon
      className="kb-reindex"
      title={words.title(done, total)}
      description={
        <>
          {words.about} {failed > 0 && words.failed(failed)}
          <Progress
            percent={total === 0 ? 100 : Math.floor((done / total) * 100)}
            status="active"
            aria-label={words.progress}
          />
        </>
      }
    />
  )
}
