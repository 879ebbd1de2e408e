import { call } from '../../api/call.ts'

/** File names that every file system accepts. */
const fileName = (name: string, id: string): string =>
  `${(name || id).replace(/[\p{C}<>:"/\\|?*]+/gu, ' ').trim() || id}.workflow.json`

/** Downloads the portable document of a workflow. */
export async function exportWorkflow(id: string): Promise<void> {
  const { document: exported } = await call('POST /api/v1/workflow/export', { body: { id } })
  const blob = new Blob([`${JSON.stringify(exported, null, 2)}\n`], { type: 'application/json' })
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = fileName(exported.name, id)
  link.click()
  // The download has started by then, so the memory can be released.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

/** Creates a copy with the same graph and positions. */
export async function duplicateWorkflow(id: string, name: string): Promise<string> {
  const { document: exported } = await call('POST /api/v1/workflow/export', { body: { id } })
  const made = await call('POST /api/v1/workflow/import', { body: { document: { ...exported, name } } })
  return made.id
}
