/** Settings of the selected node, made from the schema of its kind. */
export function NodePanel() {
  return null
}
