import { parentPort } from 'node:worker_threads'
import ocrNode from '@gutenye/ocr-node'
import { lowerThreadPriority } from '../../kernel/thread-priority.ts'

// The program of the thread that runs the local OCR models.

if (!parentPort) throw new Error('This file is the program of a worker thread')
const port = parentPort

lowerThreadPriority(19)

const opening = ocrNode.create()

port.on('message', async (jpeg: Uint8Array) => {
  try {
    const ocr = await opening
    port.postMessage({ text: textOfLines(await ocr.detect(Buffer.from(jpeg))) })
  } catch (error) {
    port.postMessage({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
})

interface OcrLine {
  text: string
  mean: number
  box?: [number, number][]
}

/** Below this, a line is noise more often than text. */
const minConfidence = 0.5

interface Placed {
  text: string
  left: number
  top: number
  bottom: number
}

function placeOf({ text, box = [] }: OcrLine): Placed {
  const xs = box.map(([x]) => x)
  const ys = box.map(([, y]) => y)
  return { text: text.trim(), left: Math.min(...xs), top: Math.min(...ys), bottom: Math.max(...ys) }
}

const middle = ({ top, bottom }: Placed): number => (top + bottom) / 2

/** Lines from top to bottom; those of one row from left to right; an empty line where there is a gap. */
function textOfLines(lines: OcrLine[]): string {
  const placed = lines
    .filter(({ text, mean }) => text.trim() !== '' && mean >= minConfidence)
    .map(placeOf)
    .sort((one, other) => middle(one) - middle(other))
  const rows: Placed[][] = []
  for (const line of placed) {
    const row = rows.at(-1)
    if (row && middle(line) < row[0]!.bottom) row.push(line)
    else rows.push([line])
  }
  let text = ''
  for (const [index, row] of rows.entries()) {
    const before = rows[index - 1]
    const [first] = row
    const isApart = before && first!.top - before[0]!.bottom > 1.2 * (first!.bottom - first!.top)
    row.sort((one, other) => one.left - other.left)
    text += `${before ? (isApart ? '\n\n' : '\n') : ''}${row.map(line => line.text).join(' ')}`
  }
  return text
}
