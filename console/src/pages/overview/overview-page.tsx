import { Page } from '../../ui/page.tsx'
import type { PageProps } from '../page-at.tsx'

export function OverviewPage(_: PageProps) {
  return <Page title="OverviewPage">…</Page>
}
