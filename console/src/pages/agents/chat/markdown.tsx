import { CopyButton } from '../../../ui/copy-button.tsx'
import { type MarkdownProps, MarkdownText } from './markdown-text.tsx'
import { FileImage } from './message-files.tsx'

export const Markdown = (props: MarkdownProps) => (
  <MarkdownText {...props} CopyButton={CopyButton} FileImage={FileImage} />
)
