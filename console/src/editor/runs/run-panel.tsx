/** Asks the workflow something and shows how the run goes. */
export function RunPanel() {
  return null
}
