import { Page } from '../../ui/page.tsx'
import type { PageProps } from '../page-at.tsx'

export function WorkflowPages(_: PageProps) {
  return <Page title="WorkflowPages">…</Page>
}
