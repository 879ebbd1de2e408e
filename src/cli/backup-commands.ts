import { databasePlace, isSqliteInUse, openDatabase } from '../adapters/sql/open-database.ts'
import { createArchive, openArchive } from '../app/open-archive.ts'
import { programVersion } from '../app/program-version.ts'
import { BackupError } from '../backup/archive-format.ts'
import { copyTables } from '../backup/copy-tables.ts'
import { type BackupSummary, createBackup } from '../backup/create-backup.ts'
import { type RestoreSummary, restoreBackup } from '../backup/restore-backup.ts'
import { TableArchive } from '../backup/table-archive.ts'
import { settings } from '../config/settings.ts'
import { type Command, columns, sizeText, UsageError, withAdapters } from './command.ts'
import { bootstrapTokenPath, readBootstrapToken, writeBootstrapToken } from './server-client.ts'

const tableOf = (rows: Record<string, number>): string =>
  columns(
    ['TABLE', 'ROWS'],
    Object.entries(rows).map(([table, count]) => [table, String(count)]),
  )

const countsOf = ({ rows, contents }: Pick<BackupSummary | RestoreSummary, 'rows' | 'contents'>): string =>
  `${tableOf(rows)}\n\nFile contents: ${contents.count} (${sizeText(contents.bytes)})`

const backup: Command = {
  name: 'backup',
  summary: 'Write everything into one archive, whether the server is running or not.',
  details: `The archive contains the operator token; keep it private (its mode is 0600). The file must not exist yet. FILE may be
s3://bucket/path: then the archive is uploaded to an S3 store while it is created, with the AWS settings of the server,
and appears there when it is complete.`,
  usage: 'FILE',
  example: 'backup banyan-2026-11-15.tar',
  isAllOrNothing: true,
  run: async ({ argument }, config, signal) => {
    const version = await programVersion()
    const { place, ...done } = await withAdapters(config, async ({ stores, blobs, clock }) =>
      createBackup(
        {
          tables: stores.tables,
          blobs,
          files: stores.files,
          clock,
          programVersion: version,
          readBootstrapToken: () => readBootstrapToken(config.dataDir),
        },
        await createArchive(argument, config.s3),
        signal,
      ),
    )
    const vanished =
      done.vanished.length > 0
        ? `\nFiles deleted during the backup, and left out: ${done.vanished.length}`
        : ''
    return {
      text: `${countsOf(done)}${vanished}\n\nWrote ${place} (${sizeText(done.bytes)}).`,
      json: { file: place, ...done },
      problem:
        done.damaged.length > 0
          ? `The backup was written without the contents of ${done.damaged.length} files, which are missing or damaged: ${done.damaged.join(', ')}.`
          : undefined,
    }
  },
}

const restore: Command = {
  name: 'restore',
  summary: 'Restore an archive. Stop the server first.',
  details: `Checks the whole archive first; if it is damaged, nothing is changed. The destination must be empty; --force replaces
all existing data. The archive may come from another type of database, so a backup can also be used to move from SQLite
to PostgreSQL and back. FILE may be s3://bucket/path.`,
  usage: 'FILE [--force]',
  example: 'restore banyan-2026-11-15.tar',
  isAllOrNothing: true,
  run: async ({ argument, flags }, config, signal) => {
    if (!config.databaseUrl && isSqliteInUse(config.dataDir))
      throw new BackupError(`The database in ${config.dataDir} is in use. Stop the server first.`)
    const { bootstrapToken, ...done } = await withAdapters(
      config,
      async ({ stores, blobs }) =>
        restoreBackup(
          { tables: stores.tables, blobs, files: stores.files },
          await openArchive(argument, config.s3),
          { overwrite: flags.has('force'), signal },
        ),
      { fills: true },
    )
    if (bootstrapToken) await writeBootstrapToken(config.dataDir, bootstrapToken)
    const leftOut =
      done.filesLeftOut > 0
        ? `\nFiles left out, because the archive lacks their contents: ${done.filesLeftOut}`
        : ''
    const operator = bootstrapToken
      ? `The operator's token is that of the server that was backed up; it is in ${bootstrapTokenPath(config.dataDir)}.`
      : 'The archive has no bootstrap-token file: set BOOTSTRAP_TOKEN to the value of the server that was backed up.'
    return {
      text: `${countsOf(done)}${leftOut}\n\nRestored the backup of ${done.createdAt}.\n${operator}`,
      json: {
        created_at: done.createdAt,
        program_version: done.programVersion,
        rows: done.rows,
        contents: done.contents,
        files_left_out: done.filesLeftOut,
      },
    }
  },
}

const migrateTo: Command = {
  name: 'migrate-to',
  summary:
    'Copy everything into an empty PostgreSQL database, which then replaces this one. Stop the server first.',
  details: `After copying, all rows are compared by number and checksum. The files stay where they are and belong to the new
database from then on; the old database can no longer use them. If anything fails, the old database is not changed. To
move the files into an S3 store, use "files move" before or after; to move back, use "backup" and "restore".`,
  usage: 'URL',
  example: 'migrate-to postgres://banyan:secret@localhost/banyan',
  isAllOrNothing: true,
  run: async ({ argument: url }, config, signal) => {
    try {
      settings.DATABASE_URL.read(url)
    } catch (error) {
      throw new UsageError(`URL: ${(error as Error).message}.`)
    }
    if (!config.databaseUrl && isSqliteInUse(config.dataDir))
      throw new BackupError(`The database in ${config.dataDir} is in use. Stop the server first.`)
    const rows = await withAdapters(config, async ({ stores, log }) => {
      const target = await openDatabase({ url, folder: config.dataDir, log })
      try {
        return await copyTables(stores.tables, new TableArchive(target), signal)
      } finally {
        await target.close()
      }
    })
    await withAdapters({ ...config, databaseUrl: url }, async () => {}, { adopt: true })
    const place = databasePlace({ url, folder: config.dataDir })
    return {
      text: `${tableOf(rows)}\n\nCopied everything to ${place}. Now set DATABASE_URL to this database, and start the server.`,
      json: { to: place, rows },
    }
  },
}

export const backupCommands = [backup, restore, migrateTo]
