import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { defaultWorkspaceId } from '../access/access-service.ts'
import type { AuditFilter, AuditPosition, AuditStore } from '../audit/audit-store.ts'
import { auditOnWire } from '../http/routes/audit-routes.ts'
import { momentOf } from '../http/wire.ts'
import { asUsageError, type Command, refuseUnknown, withAdapters } from './command.ts'

const batchEntries = 500

async function* lines(
  store: AuditStore,
  workspaceId: string,
  filter: AuditFilter,
  count: (n: number) => void,
) {
  let position: AuditPosition | undefined
  do {
    const entries = await store.list(workspaceId, filter, position, batchEntries)
    yield entries.map(entry => `${JSON.stringify(auditOnWire(entry))}\n`).join('')
    count(entries.length)
    position = entries.length === batchEntries ? entries.at(-1) : undefined
  } while (position)
}

const exportAudit: Command = {
  name: 'audit export',
  summary: 'Write the audit log of a workspace into a file, one JSON object per line, newest first.',
  details: `Times have the form 2026-11-15 or 2026-11-15T08:30:00Z; --to is exclusive. An existing file is replaced.
Use /dev/stdout to print the log.`,
  usage: 'FILE [--workspace ID] [--from TIME] [--to TIME]',
  example: 'audit export audit.jsonl --from 2026-11-01',
  run: async ({ argument, options }, config, signal) => {
    let filter: AuditFilter
    try {
      const [from, to] = [momentOf(options['from'], '/from'), momentOf(options['to'], '/to')]
      filter = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
    } catch (error) {
      throw asUsageError(error, { from: '--from', to: '--to' })
    }
    let written = 0
    await withAdapters(config, async ({ stores }) => {
      const workspaceId = options['workspace'] ?? defaultWorkspaceId
      await refuseUnknown(stores, workspaceId)
      const source = lines(stores.audit, workspaceId, filter, entries => {
        written += entries
      })
      return pipeline(Readable.from(source), createWriteStream(argument, { mode: 0o600 }), { signal })
    })
    return { text: `Wrote ${written} entries to ${argument}.`, json: { file: argument, entries: written } }
  },
}

export const auditCommands = [exportAudit]
