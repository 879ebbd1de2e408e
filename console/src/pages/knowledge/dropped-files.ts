export interface NamedFile {
  file: File
  /** Its path in the folder that was dropped, or its name. */
  name: string
}

/** What systems leave in folders, and what is hidden on purpose. */
const isHidden = (name: string): boolean =>
  name.startsWith('.') || name === 'Thumbs.db' || name === 'desktop.ini'

/** Files of a picker; those of a folder with their path in it. */
export function pickedFiles(list: Iterable<File>): NamedFile[] {
  return [...list]
    .map(file => ({ file, name: file.webkitRelativePath || file.name }))
    .filter(({ name }) => !name.split('/').some(isHidden))
}

/** Files that were dropped, and those in folders that were. */
export async function droppedFiles(data: DataTransfer): Promise<NamedFile[]> {
  // The list is only there until the event is over, so it is read before anything is waited for.
  const entries = [...data.items].map(item => item.webkitGetAsEntry()).filter(entry => entry !== null)
  if (entries.length === 0) return pickedFiles(data.files)
  return (await Promise.all(entries.map(entry => filesIn(entry, '')))).flat()
}

async function filesIn(entry: FileSystemEntry, folder: string): Promise<NamedFile[]> {
  if (isHidden(entry.name)) return []
  const name = folder + entry.name
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    )
    return [{ file, name }]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const found: NamedFile[] = []
  for (;;) {
    // A reader gives a part at a time, and nothing once it is through.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (part.length === 0) return found
    for (const child of part) found.push(...(await filesIn(child, `${name}/`)))
  }
}
