import type { Transaction } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import { webPages } from './web-page.ts'

interface DocumentKey {
  workspaceId: string
  knowledgeId: string
  fileId: string
}

/** The fields that a page loses with its document. */
const withoutDocument = { fileId: '', sha256: '', etag: '', lastModified: '', textHash: '', error: undefined }
const atRest = { lease: undefined, dueAt: undefined }

/** The fields that exclude a page from the base. If its row were deleted, its site map would add it again. */
export const excluded = { ...withoutDocument, ...atRest, status: 'excluded' } as const

/** A page whose document was removed is not fetched again. */
export async function removePage(transaction: Transaction, document: DocumentKey): Promise<void> {
  const key = webPages.where(document)
  await transaction.run(
    sql`DELETE FROM web_pages WHERE ${key} AND file_id <> '' AND (sitemap_id = '' OR listed = 0)`,
  )
  await transaction.run(sql`UPDATE web_pages SET ${webPages.set(excluded)} WHERE ${key} AND file_id <> ''`)
}
