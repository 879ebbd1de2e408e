import { useEffect, useState } from 'react'
import { copyToClipboard } from '../ui/copy-text.ts'
import { IconButton, icons } from './icons.tsx'

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = (): void => {
    copyToClipboard(text).then(
      () => setIsCopied(true),
      () => undefined,
    )
  }
  return <IconButton icon={isCopied ? icons.done : icons.copy} label={label} onClick={copy} />
}
