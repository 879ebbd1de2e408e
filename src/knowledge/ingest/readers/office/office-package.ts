import { decodePercent } from '../../../../kernel/decode-percent.ts'
import { DocumentFailure } from '../../document-failure.ts'
import { parseXml, type XmlAttributes } from './xml-parser.ts'
import type { ZipArchive } from './zip-archive.ts'

/** Resolves a link relative to the part that contains it. `..` never leaves the archive. */
export const resolvePath = (from: string, link: string): string => {
  const path = decodePercent(link.replace(/[?#].*$/s, ''))
  const start = path.startsWith('/') ? [] : from.split('/').slice(0, -1)
  const steps: string[] = []
  for (const step of [...start, ...path.split('/')]) {
    if (step === '..') steps.pop()
    else if (step !== '' && step !== '.') steps.push(step)
  }
  return steps.join('/')
}

/** Whether any of the texts occurs, without buffering more than one chunk. */
export const containsText = async (chunks: AsyncIterable<Uint8Array>, texts: readonly string[]) => {
  const longest = Math.max(...texts.map(text => text.length))
  let tail = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const piece = Buffer.concat([tail, chunk])
    if (texts.some(text => piece.includes(text))) return true
    tail = piece.subarray(Math.max(0, piece.length - longest))
  }
  return false
}

export interface Relationship {
  id: string
  /** The last segment of the type URI, such as `slide`: the rest differs between versions. */
  type: string
  target: string
}

const relationshipsName = (part: string): string => {
  const slash = part.lastIndexOf('/') + 1
  return `${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`
}

/** The relationships of a part. External targets are left out, so they are never followed. */
export const readRelationships = async (archive: ZipArchive, part: string): Promise<Relationship[]> => {
  const found: Relationship[] = []
  const name = relationshipsName(part)
  if (!archive.has(name)) return found
  await parseXml(archive.chunks(name), {
    open(element, { Id: id, Type: type = '', Target: target, TargetMode: mode }) {
      if (element !== 'Relationship' || id === undefined || target === undefined) return
      if (mode?.toLowerCase() === 'external') return
      const resolved = resolvePath(part, target)
      found.push({ id, type: type.slice(type.lastIndexOf('/') + 1), target: resolved })
    },
  })
  return found.filter(({ target }) => archive.has(target))
}

/** The main part, by relationship or by its usual name. */
export const findMainPart = async (archive: ZipArchive, usual: string, kind: string): Promise<string> => {
  const relationships = await readRelationships(archive, '')
  const main = relationships.find(({ type }) => type === 'officeDocument')?.target ?? usual
  if (archive.has(main)) return main
  throw new DocumentFailure('broken_file', `The file is not ${kind}: its main part is missing.`)
}

/** Finds the target that the `r:id` of an element refers to. */
export const targetsById = (relationships: Relationship[]) => {
  const targets = new Map(relationships.map(({ id, target }) => [id, target]))
  return (attributes: XmlAttributes): string | undefined => {
    const name = Object.keys(attributes).find(each => each.endsWith(':id')) ?? 'id'
    return targets.get(attributes[name] ?? '')
  }
}

export const targetOf = (relationships: Relationship[], type: string): string | undefined =>
  relationships.find(relationship => relationship.type === type)?.target
