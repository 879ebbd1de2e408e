import { sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import { workflows, workflowVersions } from './workflow-tables.ts'

interface VersionKey {
  workspaceId: string
  workflowId: string
  version: number
}

/** Which versions are published, and their notes. */
export class PublicationStore extends Store {
  /** Publishes a version; undefined if it does not exist. Without a new note, it keeps the one it has. */
  publish(key: VersionKey, at: number, note?: string): Promise<{ version: number } | undefined> {
    const { workspaceId, workflowId, version } = key
    const workflow = workflows.where({ workspaceId, id: workflowId })
    return this.database.transaction(async transaction => {
      // The workflow is locked first, like in a save, because a save may be about to replace this version.
      const locked = sql`SELECT ${workflows.columns('version')} FROM workflows WHERE ${workflow} ${this.database.forUpdate}`
      if (!(await transaction.get(locked))) return undefined
      const change = workflowVersions.set({ publishedAt: at, ...(note !== undefined && { note }) })
      const marked = sql`UPDATE workflow_versions SET ${change} WHERE ${workflowVersions.where({ ...key })}`
      if ((await transaction.run(marked)) === 0) return undefined
      const published = workflows.set({ publishedVersion: version, publishedAt: at })
      await transaction.run(sql`UPDATE workflows SET ${published} WHERE ${workflow}`)
      return { version }
    })
  }

  async unpublish(workspaceId: string, id: string): Promise<void> {
    const published = sql`${workflows.where({ workspaceId, id })} AND published_version IS NOT NULL`
    await this.run(workflows.update(published, { publishedVersion: undefined, publishedAt: undefined }))
  }

  /** False if there is no such version. */
  async setNote(key: VersionKey, note: string): Promise<boolean> {
    return (await this.run(workflowVersions.update({ ...key }, { note }))) > 0
  }
}
