import { Tag } from 'antd'

/** Metadata at a glance. */
export function MetadataTags({ metadata }: { metadata: Record<string, unknown> }) {
  const entries = Object.entries(metadata)
  if (entries.length === 0) return null
  return (
    <span className="kb-metadata-tags">
      {entries.map(([key, value]) => (
        <Tag key={key} variant="filled">
          {key}: {Array.isArray(value) ? value.join(', ') : String(value)}
        </Tag>
      ))}
    </span>
  )
}
