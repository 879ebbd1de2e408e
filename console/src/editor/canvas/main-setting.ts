import type { NodeData } from '../model/graph.ts'
import type { KindRecord } from '../workflow-editor.ts'

const oneLine = (text: string): string =>
  text
    .replace(/\{\{#([^#{}]+)#\}\}/g, '{$1}')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 120)

function shown(value: unknown): string {
  if (typeof value === 'string') return oneLine(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (!Array.isArray(value)) return ''
  return value
    .map(item =>
      typeof item === 'object' && item !== null ? named(item as Record<string, unknown>) : shown(item),
    )
    .filter(Boolean)
    .join(' · ')
}

const named = (item: Record<string, unknown>): string => shown(item['name'] ?? item['id'] ?? item['type'])

/** The setting that tells most about a node: the first one that it needs, or that is there at all. */
export function mainSetting(data: NodeData, kind: KindRecord | undefined): string {
  if (!kind) return ''
  const fields = [...kind.fields].sort((one, other) => Number(other.required) - Number(one.required))
  for (const { name } of fields) {
    const text = shown(data[name])
    if (text !== '') return text
  }
  return ''
}
