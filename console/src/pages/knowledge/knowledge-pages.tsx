import { Page } from '../../ui/page.tsx'
import type { PageProps } from '../page-at.tsx'

export function KnowledgePages(_: PageProps) {
  return <Page title="KnowledgePages">…</Page>
}
