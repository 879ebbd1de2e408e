import { LogoutOutlined } from '@ant-design/icons'
import { Alert, Button, Radio } from 'antd'
import { type ReactNode, useId } from 'react'
import { type Server, useServer } from '../../api/queries.ts'
import { signOut } from '../../api/token.ts'
import { useMay, useSession } from '../../session/use-session.ts'
import { QueryFailure } from '../../ui/failure.tsx'
import { FeatureChecklist } from '../../ui/feature-checklist.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import {
  type Language,
  setLanguage,
  setTheme,
  type Theme,
  useLanguage,
  useTheme,
} from '../../ui/preferences.ts'
import { When } from '../../ui/when.tsx'
import type { PageProps } from '../page-props.ts'
import { SettingsTable } from './settings-table.tsx'
import { useSettingsWords } from './settings-words.ts'
import { WorkspacesSection } from './workspaces-section.tsx'
import './settings-page.css'

export function SettingsPage(_: PageProps) {
  const words = useSettingsWords()
  const may = useMay()
  const { data: session } = useSession()
  // A runner cannot read server information.
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
            {server.isError && <QueryFailure query={server} />}
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
              {server.data ? (
                <SettingsTable settings={server.data.settings} />
              ) : server.isError ? (
                <QueryFailure query={server} />
              ) : (
                <Loading />
              )}
            </SettingsSection>
          </>
        ) : (
          <Alert type="info" showIcon title={words.onlyOperators} className="settings-wide" />
        )}
      </div>
    </Page>
  )
}

function SettingsSection({
  title,
  isWide = false,
  children,
}: {
  title: string
  isWide?: boolean
  children: ReactNode
}) {
  const titleId = useId()
  return (
    <section
      className={isWide ? 'settings-section settings-wide' : 'settings-section'}
      aria-labelledby={titleId}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
    </section>
  )
}

const databases = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

function ServerFacts({ server }: { server: Server }) {
  const words = useSettingsWords()
  return (
    <Facts
      of={[
        [words.version, server.version],
        [words.database, databases[server.database]],
        [words.files, words[server.files]],
        ...(server.replicas.length > 0
          ? ([[words.replicas, <Replicas key="replicas" replicas={server.replicas} />]] as [
              string,
              ReactNode,
            ][])
          : []),
        [
          words.links,
          <span key="links">
            <a href="/docs" target="_blank" rel="noreferrer">
              {words.docs}
            </a>
            <br />
            <a href="/openapi.json" target="_blank" rel="noreferrer">
              {words.openapi}
            </a>
          </span>,
        ],
      ]}
    />
  )
}

/** The servers that share the database. */
function Replicas({ replicas }: Pick<Server, 'replicas'>) {
  const words = useSettingsWords()
  return (
    <ul className="server-replicas">
      {replicas.map(({ id, address, version, started_at, is_this }) => (
        <li key={id}>
          {address} <span className="soft small">{version}</span>{' '}
          <span className="soft small">
            {words.since} <When time={started_at} />
            {is_this && ` · ${words.thisServer}`}
          </span>
        </li>
      ))}
    </ul>
  )
}

function WhoAmI() {
  const words = useSettingsWords()
  const { data: session } = useSession()
  if (!session) return null
  const { name, role, workspace_name, expires_at, is_operator } = session
  return (
    <>
      <Facts
        of={[
          [words.token, name],
          [words.role, words[role]],
          [words.workspace, workspace_name],
          [words.expires, expires_at === null ? words.never : <When time={expires_at} key="when" />],
          ...(is_operator ? ([[words.operator, words.operatorAbout]] as [string, string][]) : []),
        ]}
      />
      <Button icon={<LogoutOutlined aria-hidden />} className="settings-add" onClick={signOut}>
        {words.signOut}
      </Button>
    </>
  )
}

const themes: readonly Theme[] = ['light', 'dark', 'system']
// Each language is named in itself, for users who do not read the other.
const languages: { value: Language; label: string }[] = [
  { value: 'en', label: 'English' },
  { value: 'zh', label: '中文' },
]

function AppearanceFields() {
  const words = useSettingsWords()
  return (
    <div className="appearance">
      <div>
        <div className="soft">{words.language}</div>
        <Radio.Group
          optionType="button"
          aria-label={words.language}
          options={languages}
          value={useLanguage()}
          onChange={event => setLanguage(event.target.value as Language)}
        />
      </div>
      <div>
        <div className="soft">{words.appearance}</div>
        <Radio.Group
          optionType="button"
          aria-label={words.appearance}
          options={themes.map(value => ({ value, label: words[value] }))}
          value={useTheme()}
          onChange={event => setTheme(event.target.value as Theme)}
        />
      </div>
    </div>
  )
}

/** A list of names and values. */
function Facts({ of }: { of: [name: string, value: ReactNode][] }) {
  return (
    <dl className="facts">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
