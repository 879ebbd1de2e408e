import { CopyButton } from '../copy-button.tsx'
import { FileImage } from '../file-image.tsx'
import { type MarkdownProps, MarkdownText } from './markdown-text.tsx'

export const ConsoleMarkdown = (props: MarkdownProps) => (
  <MarkdownText {...props} CopyButton={CopyButton} FileImage={FileImage} />
)
