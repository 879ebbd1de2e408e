import type { Server } from '../../api/use-server.ts'
import { Facts } from './facts.tsx'
import { useSettingsWords } from './settings-words.ts'

const databases = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

export function ServerFacts({ server }: { server: Server }) {
  const words = useSettingsWords()
  return (
    <Facts
      of={[
        [words.version, server.version],
        [words.database, databases[server.database]],
        [words.files, words[server.files]],
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
