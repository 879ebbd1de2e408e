import { open } from 'node:fs/promises'

/** Makes new, renamed and removed entries of a folder survive power loss. */
export const syncFolder = async (path: string): Promise<void> => {
  // Windows cannot open a folder for this; NTFS journals its entries by itself.
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
