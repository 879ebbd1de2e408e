import type { Database } from '../database/database.ts'
import type { BlobStore } from '../files/blob-store.ts'
import type { OrphanSweep } from '../files/orphan-sweep.ts'
import type { ConsistencyCheck } from './check.ts'

/** SQLite checks its own pages and indexes; PostgreSQL has amcheck and checksums for that. */
export function databaseCheck(database: Database): ConsistencyCheck {
  return {
    name: 'database pages',
    promise: 'The pages and indexes of the database file are intact.',
    find: async report => {
      if (database.dialect !== 'sqlite') return
      for (const { integrity_check: message } of await database.all<{ integrity_check: string }>(
        'PRAGMA integrity_check(100)',
      ))
        if (message !== 'ok') report({ workspaceId: '', message })
    },
    remedy: 'Restore a backup into an empty DATA_DIR.',
  }
}

type BlobRow = { workspace_id: string; key: string; sha256: string }

export function blobChecks(database: Database, blobs: BlobStore, orphans: OrphanSweep): ConsistencyCheck[] {
  return [
    {
      name: 'contents of files',
      promise: 'Every content that a row names is stored.',
      find: (report, signal) =>
        database.snapshot(async snapshot => {
          for await (const row of snapshot.each<BlobRow>('SELECT workspace_id, key, sha256 FROM blobs')) {
            signal.throwIfAborted()
            if ((await blobs.tagOf(row.key)) === undefined)
              report({ workspaceId: row.workspace_id, message: `blob ${row.key} (${row.sha256}) is missing` })
          }
        }),
      // A content in the quarantine that a row names comes back.
      repair: signal => orphans.run(signal),
      remedy:
        'Upload the same content again, or restore a backup. To compare contents with checksums: scrub.',
    },
    {
      name: 'contents without rows',
      promise: 'Every stored content has a row.',
      find: async (report, signal) => {
        const count = await orphans.countOld(signal)
        if (count > 0)
          report({ workspaceId: '', message: `${count} contents have no row for more than an hour` })
      },
      repair: signal => orphans.run(signal),
      remedy: '--repair moves them to the quarantine, as a running server does every hour.',
    },
  ]
}

const storedUsage = `
  SELECT workspace_id, CAST(SUM(bytes) AS BIGINT) AS bytes, CAST(SUM(documents) AS BIGINT) AS documents FROM (
    SELECT workspace_id, size AS bytes, 0 AS documents FROM blobs
    UNION ALL SELECT workspace_id, octet_length(graph), 0 FROM workflow_versions
    UNION ALL SELECT workspace_id, 0, 1 FROM documents) AS stored GROUP BY workspace_id`
const countedUsage = `
  SELECT workspace_id, CAST(SUM(storage_bytes) AS BIGINT) AS bytes, CAST(SUM(documents) AS BIGINT) AS documents
  FROM workspace_usage GROUP BY workspace_id`

type UsageRow = { workspace_id: string; bytes: number; documents: number }

/** Checks the counters that quotas use. */
export function usageCheck(database: Database): ConsistencyCheck {
  return {
    name: 'usage of workspaces',
    promise: 'The counted storage and documents are what is stored.',
    find: report =>
      database.snapshot(async snapshot => {
        // One row per workspace.
        const counted = new Map(
          (await snapshot.all<UsageRow>(countedUsage)).map(row => [row.workspace_id, row] as const),
        )
        const none = { bytes: 0, documents: 0 }
        const compare = (workspaceId: string, stored: typeof none, count: typeof none): void => {
          if (stored.bytes === count.bytes && stored.documents === count.documents) return
          report({
            workspaceId,
            message: `${count.bytes} bytes and ${count.documents} documents are counted, but ${stored.bytes} and ${stored.documents} are stored`,
          })
        }
        for await (const row of snapshot.each<UsageRow>(storedUsage)) {
          compare(row.workspace_id, row, counted.get(row.workspace_id) ?? none)
          counted.delete(row.workspace_id)
        }
        for (const [workspaceId, row] of counted) compare(workspaceId, none, row)
      }),
    repair: () =>
      database.transaction(async transaction => {
        // Waits for transactions that have updated the counters, and makes others wait.
        if (database.dialect === 'postgres')
          await transaction.run('LOCK TABLE workspace_usage IN SHARE ROW EXCLUSIVE MODE')
        await transaction.run('DELETE FROM workspace_usage')
        await transaction.run(
          `INSERT INTO workspace_usage (workspace_id, shard, storage_bytes, documents)
           SELECT workspace_id, 0, bytes, documents FROM (${storedUsage}) AS counted`,
        )
      }),
    remedy: '--repair counts again.',
  }
}
