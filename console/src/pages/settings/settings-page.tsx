import { Alert } from 'antd'
import { useServer } from '../../api/use-server.ts'
import { useMay, useSession } from '../../session/use-session.ts'
import { Failure } from '../../ui/failure.tsx'
import { FeatureChecklist } from '../../ui/feature-checklist.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import type { PageProps } from '../page-props.ts'
import { AppearanceFields } from './appearance-fields.tsx'
import { ServerFacts } from './server-facts.tsx'
import { SettingsSection } from './settings-section.tsx'
import { SettingsTable } from './settings-table.tsx'
import { useSettingsWords } from './settings-words.ts'
import { WhoAmI } from './who-am-i.tsx'
import { WorkspacesSection } from './workspaces-section.tsx'
import './settings-page.css'

export function SettingsPage(_: PageProps) {
  const words = useSettingsWords()
  const may = useMay()
  const { data: session } = useSession()
  // A runner may read nothing of the server.
  const mayRead = session?.role !== 'runner'
  const server = useServer({ enabled: mayRead })
  return (
    <Page title={words.title} about={words.about}>
      <div className="settings-sections">
        <SettingsSection title={words.you}>
          <WhoAmI />
        </SettingsSection>
        <SettingsSection title={words.console}>
          <AppearanceFields />
        </SettingsSection>
        {mayRead && (
          <SettingsSection title={words.server} isWide>
            {server.isError && <Failure error={server.error} onRetry={server.refetch} />}
            {server.isPending && <Loading />}
            {server.data && (
              <div className="server-parts">
                <ServerFacts server={server.data} />
                <FeatureChecklist server={server.data} mayAddModels={may.administer} />
              </div>
            )}
          </SettingsSection>
        )}
        {may.operate ? (
          <>
            <SettingsSection title={words.workspaces} isWide>
              <WorkspacesSection />
            </SettingsSection>
            <SettingsSection title={words.settings} isWide>
              <p className="soft">{words.settingsAbout}</p>
              {server.data ? <SettingsTable settings={server.data.settings} /> : <Loading />}
            </SettingsSection>
          </>
        ) : (
          <Alert type="info" showIcon title={words.onlyOperators} className="settings-wide" />
        )}
      </div>
    </Page>
  )
}
