import { Page } from '../../ui/page.tsx'
import type { PageProps } from '../page-at.tsx'

export function FilesPage(_: PageProps) {
  return <Page title="FilesPage">…</Page>
}
