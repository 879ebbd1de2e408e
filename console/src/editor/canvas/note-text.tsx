import { createRoot, type Root } from 'react-dom/client'
import Markdown from 'react-markdown'
import gfm from 'remark-gfm'

const roots = new WeakMap<Element, Root>()

/**
 * Shows the Markdown of a note: emphasis, lists, headings, links. HTML in it stays text, and images are not fetched.
 * Keyboard users reach the note as a whole, labelled by its text, and open its links with a key or in its menu, so that
 * links are no further tab stops on the canvas.
 */
export function showNoteText(element: Element, text: string): void {
  let root = roots.get(element)
  if (!root) {
    element.replaceChildren()
    root = createRoot(element)
    roots.set(element, root)
  }
  root.render(
    <div className="note-markdown">
      <Markdown
        remarkPlugins={[gfm]}
        disallowedElements={['img', 'input']}
        components={{
          a: ({ href, children }) => (
            <a href={href} target="_blank" rel="noreferrer noopener" tabIndex={-1}>
              {children}
            </a>
          ),
        }}
      >
        {text}
      </Markdown>
    </div>,
  )
}
