import type { OutlineEntry } from './document-facts.ts'
import type { PdfDocument } from './open-pdf.ts'

const maxEntries = 5000
const maxDepth = 9

interface Node {
  title?: string
  items?: Node[]
}

/** The titles of the outline ("bookmarks"); none where it is missing or damaged. */
export async function readOutline(document: PdfDocument): Promise<OutlineEntry[]> {
  const entries: OutlineEntry[] = []
  const visit = (nodes: Node[], depth: number): void => {
    for (const { title, items } of nodes) {
      if (entries.length >= maxEntries) return
      if (title) entries.push({ title, depth })
      if (items && depth < maxDepth) visit(items, depth + 1)
    }
  }
  try {
    visit((await document.getOutline()) ?? [], 1)
  } catch {
    return []
  }
  return entries
}
