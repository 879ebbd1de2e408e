import { CopyButton } from '../copy-button.tsx'
import './share.css'

interface SharedValueProps {
  name: string
  value: string
  /** The name of the button that copies the value. */
  copy: string
}

/** A value that a program needs, to copy. */
export function SharedValue({ name, value, copy }: SharedValueProps) {
  return (
    <p className="share-value">
      <span className="soft">{name}</span> <code>{value}</code>
      <CopyButton size="small" text={value} label={copy} />
    </p>
  )
}
