import { Page } from '../../ui/page.tsx'
import type { PageProps } from '../page-at.tsx'

export function RunPages(_: PageProps) {
  return <Page title="RunPages">…</Page>
}
