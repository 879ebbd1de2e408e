import type { Ref } from 'react'

interface FileInputProps {
  /** Opened by a button elsewhere: `ref.current?.click()`. */
  ref: Ref<HTMLInputElement>
  label?: string
  /** Whether to choose a folder instead of single files. */
  isFolder?: boolean
  onFiles: (files: File[]) => void
}

/** The browser's file dialog, without a visible control. */
export function FileInput({ ref, label, isFolder = false, onFiles }: FileInputProps) {
  return (
    <input
      ref={ref}
      type="file"
      multiple
      // Ant Design's forms show inputs that are only `hidden`.
      style={{ display: 'none' }}
      aria-label={label}
      onChange={event => {
        onFiles([...(event.target.files ?? [])])
        // The same file may be chosen again.
        event.target.value = ''
      }}
      {...(isFolder && { webkitdirectory: '' })}
    />
  )
}
