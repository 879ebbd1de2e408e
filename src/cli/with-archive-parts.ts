import { openDatabase } from '../adapters/sql/open-database.ts'
import { SqlTableArchive } from '../adapters/sql/sql-table-archive.ts'
import type { TableArchive } from '../backup/table-archive.ts'
import type { Config } from '../config.ts'
import { openAdapters } from '../open-adapters.ts'
import type { Adapters } from '../runtime.ts'

/** The server's own adapters, and the tables as a whole. */
export async function withArchiveParts<Result>(
  config: Config,
  work: (parts: Adapters & { tables: TableArchive }) => Promise<Result>,
): Promise<Result> {
  const adapters = await openAdapters(config)
  try {
    const database = await openDatabase({ url: config.databaseUrl, folder: config.dataDir })
    try {
      return await work({ ...adapters, tables: new SqlTableArchive(database) })
    } finally {
      await database.close()
    }
  } finally {
    await adapters.close()
  }
}
