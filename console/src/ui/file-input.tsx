import type { Ref } from 'react'

interface FileInputProps {
  /** A button elsewhere opens it: `ref.current?.click()`. */
  ref: Ref<HTMLInputElement>
  label?: string
  /** A whole folder instead of single files. */
  isFolder?: boolean
  onFiles: (files: File[]) => void
}

/** The browser's own dialog for files, without its looks. */
export function FileInput({ ref, label, isFolder = false, onFiles }: FileInputProps) {
  return (
    <input
      ref={ref}
      type="file"
      multiple
      hidden
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
