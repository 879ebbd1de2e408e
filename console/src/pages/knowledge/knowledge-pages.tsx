import { NotFoundPage } from '../not-found-page.tsx'
import type { PageProps } from '../page-props.ts'
import { DocumentPage } from './document-page.tsx'
import { isTabName, KnowledgeBasePage } from './knowledge-base-page.tsx'
import { KnowledgeListPage } from './knowledge-list-page.tsx'

/** `#/knowledge`, `#/knowledge/<id>`, its tabs, and `#/knowledge/<id>/documents/<file id>`. */
export function KnowledgePages({ segments, query }: PageProps) {
  const [knowledgeId, tab = 'documents', fileId] = segments
  if (knowledgeId === undefined) return <KnowledgeListPage query={query} />
  if (tab === 'documents' && fileId !== undefined)
    return (
      <DocumentPage
        key={`${knowledgeId} ${fileId}`}
        knowledgeId={knowledgeId}
        fileId={fileId}
        query={query}
      />
    )
  if (fileId !== undefined || !isTabName(tab)) return <NotFoundPage />
  return <KnowledgeBasePage key={knowledgeId} knowledgeId={knowledgeId} tab={tab} query={query} />
}
