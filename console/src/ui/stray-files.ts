export const hasFiles = ({ dataTransfer }: DragEvent): boolean =>
  dataTransfer?.types.includes('Files') === true

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
