import { Page } from '../../ui/page.tsx'
import type { PageProps } from '../page-at.tsx'

export function AgentPages(_: PageProps) {
  return <Page title="AgentPages">…</Page>
}
