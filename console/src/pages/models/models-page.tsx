import { Page } from '../../ui/page.tsx'
import type { PageProps } from '../page-at.tsx'

export function ModelsPage(_: PageProps) {
  return <Page title="ModelsPage">…</Page>
}
