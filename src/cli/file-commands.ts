import { join } from 'node:path'
import { OrphanSweep } from '../files/orphan-sweep.ts'
import { type DamagedBlob, Scrubber } from '../files/scrubber.ts'
import { type Command, columns, UsageError, withAdapters } from './command.ts'

const scrub: Command = {
  name: 'scrub',
  summary: 'Compare every stored file with its checksum, whether the server is running or not.',
  details: `Reads everything, as fast as the disk allows; the server itself does the same slowly, once a day. Prints
damaged and missing contents with the files that use them, and how many contents no row names (orphaned) or are in the
quarantine already. Changes no content. The exit code is 1 when something is damaged or missing.
To repair a file, upload the same content again, or restore a backup.`,
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
  summary: 'Use the files in DATA_DIR with this database, although they belonged to another one.',
  details: `A server refuses to start when the files in DATA_DIR belong to another database. Most often DATABASE_URL or
DATA_DIR is wrong, or banyan.db was lost: then correct that instead. After this command the database that the files
belonged to refuses them, and files that this database does not know are moved to the quarantine and deleted a week later.`,
  usage: '[--yes]',
  example: 'files adopt --yes',
  run: async ({ flags }, config) => {
    if (!flags.has('yes'))
      throw new UsageError('The files would no longer belong to their database. Add --yes to do it.')
    const id = await withAdapters(config, ({ installation }) => installation.adopt(), { adopt: true })
    const folder = join(config.dataDir, 'files')
    return {
      text: `The files in ${folder} belong to this database now (installation ${id}).`,
      json: { installation_id: id, folder },
    }
  },
}

export const fileCommands = [scrub, adopt]
