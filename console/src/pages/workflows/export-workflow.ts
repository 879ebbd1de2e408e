import { call } from '../../api/call.ts'

/** Names that every file system takes. */
const fileName = (name: string, id: string): string =>
  `${(name || id).replace(/[\p{C}<>:"/\\|?*]+/gu, ' ').trim() || id}.workflow.json`

/** Hands the portable document of a workflow to the browser as a file. */
export async function exportWorkflow(id: string): Promise<void> {
  const { document: exported } = await call('POST /api/v1/workflow/export', { body: { id } })
  const blob = new Blob([`${JSON.stringify(exported, null, 2)}\n`], { type: 'application/json' })
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = fileName(exported.name, id)
  link.click()
  // The download has begun by then; the bytes are let go.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

/** A second workflow with the same graph, drawn at the same places. */
export async function duplicateWorkflow(id: string, name: string): Promise<string> {
  const { document: exported } = await call('POST /api/v1/workflow/export', { body: { id } })
  const made = await call('POST /api/v1/workflow/import', { body: { document: { ...exported, name } } })
  const { positions } = await call('GET /api/v1/workflow/layout', { query: { id } })
  if (Object.keys(positions).length > 0)
    await call('POST /api/v1/workflow/layout', { body: { id: made.id, positions } })
  return made.id
}
