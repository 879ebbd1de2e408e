import { isSqliteInUse } from '../adapters/sql/open-database.ts'
import type { Adapters } from '../app/adapters.ts'
import { type OpenedBlobStore, openBlobStore } from '../app/open-blob-store.ts'
import type { Config } from '../config/config.ts'
import { type CopiedBlobs, copyBlobs } from '../files/copy-blobs.ts'
import { OrphanSweep } from '../files/orphan-sweep.ts'
import { parseS3Url } from '../files/s3-url.ts'
import { type DamagedBlob, Scrubber } from '../files/scrubber.ts'
import { type Command, columns, sizeText, UsageError, withAdapters } from './command.ts'

const scrub: Command = {
  name: 'scrub',
  summary: 'Compare every stored file with its checksum, whether the server is running or not.',
  details: `Reads all contents as fast as the file store allows; the server does the same slowly, once a day. Prints damaged and
missing contents with the files that use them, and the number of contents that no row refers to (orphaned) or that are in
the quarantine. Changes no content. The exit code is 1 if something is damaged or missing. To repair a file, upload the
same content again, or restore a backup.`,
  usage: '',
  example: 'scrub',
  run: (_, config, signal) =>
    withAdapters(config, async ({ stores, blobs, clock, installation }) => {
      const found: DamagedBlob[] = []
      let checked = 0
      for await (const blob of new Scrubber(stores.scrub, blobs, clock).all(signal)) {
        checked++
        if ('problem' in blob) found.push(blob)
      }
      const orphans = new OrphanSweep({ files: stores.files, blobs, clock, installation })
      const orphaned = await orphans.count('blobs', signal)
      const quarantined = await orphans.count('quarantine', signal)
      const rows = found.flatMap(({ problem, workspaceId, key, files }) =>
        files.map(file => [problem, workspaceId, file.id, key, file.name]),
      )
      return {
        text: [
          columns(['PROBLEM', 'WORKSPACE', 'FILE', 'BLOB', 'NAME'], rows, 'All contents are intact.'),
          '',
          `Checked: ${checked}. Orphaned: ${orphaned}. In quarantine: ${quarantined}.`,
        ].join('\n'),
        json: {
          checked,
          orphaned,
          quarantined,
          items: found.map(({ workspaceId, ...blob }) => ({ workspace_id: workspaceId, ...blob })),
        },
        problem:
          found.length === 0
            ? undefined
            : `${found.length} of ${checked} stored contents are missing or damaged. Upload these files again, or restore a backup.`,
      }
    }),
}

const adopt: Command = {
  name: 'files adopt',
  summary: 'Use the files in DATA_DIR or BLOB_URL with this database, although they belonged to another one.',
  details: `A server refuses to start if its files belong to another database. Usually DATABASE_URL, DATA_DIR or BLOB_URL is wrong,
or banyan.db was lost: then correct that instead. After this command, the previous database of the files can no longer use
them; files that this database does not know are moved to the quarantine and deleted a week later.`,
  usage: '[--yes]',
  example: 'files adopt --yes',
  run: async ({ flags }, config) => {
    if (!flags.has('yes'))
      throw new UsageError('The files would no longer belong to their database. Add --yes to do it.')
    const adopted = async ({ installation }: Adapters) => ({
      id: await installation.adopt(),
      folder: installation.filesPlace,
    })
    const { id, folder } = await withAdapters(config, adopted, { adopt: true, fills: true })
    return {
      text: `The files in ${folder} belong to this database now (installation ${id}).`,
      json: { installation_id: id, folder },
    }
  },
}

const progressMilliseconds = 5000

function destination(to: string | undefined, config: Config): Promise<OpenedBlobStore> {
  const blobUrl = to === undefined || to === 'disk' ? undefined : parseS3Url(to)
  if (to !== 'disk' && !blobUrl)
    throw new UsageError('--to: must be s3://bucket/prefix, or disk for DATA_DIR.')
  return openBlobStore({ ...config, blobUrl })
}

function countsOf({ copied, present, damaged }: CopiedBlobs): string {
  const lost = damaged.length > 0 ? ` Damaged or missing, and left out: ${damaged.length}.` : ''
  return `Copied: ${copied.count} (${sizeText(copied.bytes)}). Already there: ${present}.${lost}`
}

const move: Command = {
  name: 'files move',
  summary: 'Copy all files to an S3 store or back to the disk, and then switch to it.',
  details: `Every copy is verified by its checksum. Contents that were already copied are skipped, so the command can be interrupted
and repeated, even while the server runs. To switch, stop all servers, repeat the command with --finish, change BLOB_URL
to the new place (unset it for the disk), and start the servers again. From then on, servers refuse the old place; its
files are kept until you delete them. Files in the quarantine are not copied.`,
  usage: '--to URL [--finish]',
  example: 'files move --to s3://bucket/prefix',
  run: async ({ options, flags }, config, signal) => {
    const isLast = flags.has('finish')
    if (isLast && !config.databaseUrl && isSqliteInUse(config.dataDir))
      throw new UsageError('The server is running. Stop it before --finish.')
    const target = await destination(options['to'], config)
    const moved = await withAdapters(config, async ({ stores, blobs, installation }) => {
      const from = installation.filesPlace
      if (from === target.place) throw new UsageError(`The files are in ${from} already.`)
      await installation.checkDestination(target.blobs, target.place)
      let shownAt = performance.now()
      const result = await copyBlobs(
        { rows: stores.scrub, from: blobs, to: target.blobs },
        signal,
        counts => {
          if (performance.now() - shownAt < progressMilliseconds) return
          shownAt = performance.now()
          console.error(countsOf(counts))
        },
      )
      if (isLast) await installation.moveTo(target.blobs, target.place)
      return { from, ...result }
    })
    const next = isLast
      ? `Now set BLOB_URL to ${target.place.startsWith('s3:') ? target.place : 'nothing'} and start the server. The files in ${moved.from} are no longer used.`
      : 'To switch, stop all servers and repeat the command with --finish.'
    return {
      text: `${countsOf(moved)}\n${next}`,
      json: { ...moved, to: target.place, finished: isLast },
      problem:
        moved.damaged.length > 0
          ? `${moved.damaged.length} contents are damaged or missing in ${moved.from} and were not copied; scrub lists their files.`
          : undefined,
    }
  },
}

export const fileCommands = [scrub, adopt, move]
