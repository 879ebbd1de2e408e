import { Page } from '../../ui/page.tsx'
import type { PageProps } from '../page-at.tsx'

export function SettingsPage(_: PageProps) {
  return <Page title="SettingsPage">…</Page>
}
