const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true

/** Browsers open a file that is dropped beside a place for files, in place of the page and all input in it. */
export function ignoreStrayFiles(page: Window): void {
  for (const type of ['dragover', 'drop'] as const)
    page.addEventListener(type, event => {
      if (event.defaultPrevented || !event.dataTransfer || !hasFiles(event)) return
      if (event.target instanceof HTMLInputElement && event.target.type === 'file') return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'none'
    })
}

/** Takes files that are dropped anywhere on the page, and reports whether files are over it. Returns how to end that. */
export function takeDroppedFiles(onFiles: (files: FileList) => void, onOver: (isOver: boolean) => void) {
  const ending = new AbortController()
  // Moving from one element to another fires enter and leave.
  let depth = 0
  const move = (event: DragEvent, step: number): void => {
    if (!hasFiles(event)) return
    event.preventDefault()
    depth += step
    onOver(depth > 0)
  }
  const { signal } = ending
  document.addEventListener('dragenter', event => move(event, 1), { signal })
  document.addEventListener('dragleave', event => move(event, -1), { signal })
  document.addEventListener('dragover', event => move(event, 0), { signal })
  document.addEventListener(
    'drop',
    event => {
      move(event, -depth)
      if (hasFiles(event)) onFiles(event.dataTransfer!.files)
    },
    { signal },
  )
  return () => ending.abort()
}
