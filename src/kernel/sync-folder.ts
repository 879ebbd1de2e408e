import { open } from 'node:fs/promises'

/** Makes new, renamed and removed entries of a directory survive power loss. */
export const syncFolder = async (path: string): Promise<void> => {
  // Windows cannot sync a directory; NTFS journals its entries itself.
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
