import { Page } from '../../ui/page.tsx'
import type { PageProps } from '../page-at.tsx'

export function TokensPage(_: PageProps) {
  return <Page title="TokensPage">…</Page>
}
