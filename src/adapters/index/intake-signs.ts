/** What the background work asks about the world. */
export interface IntakeSigns {
  isSearching(): boolean
  isClosing(): boolean
}
