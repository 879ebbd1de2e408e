import { UploadOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useRef } from 'react'
import { useFileWords } from './file-words.ts'

/** Opens the browser's dialog for files. */
export function UploadButton({
  isPrimary = false,
  onFiles,
}: {
  isPrimary?: boolean
  onFiles: (files: File[]) => void
}) {
  const words = useFileWords()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={event => {
          onFiles([...(event.target.files ?? [])])
          // So that the same file can be chosen again.
          event.target.value = ''
        }}
      />
      <Button
        {...(isPrimary && { type: 'primary' })}
        icon={<UploadOutlined />}
        onClick={() => input.current?.click()}
      >
        {words.upload}
      </Button>
    </>
  )
}
