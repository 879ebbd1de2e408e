/** What the server found wrong, each line leading to its node. */
export function CheckList() {
  return null
}
