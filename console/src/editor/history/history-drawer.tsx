/** Old versions, what differs, and the way back to one. */
export function HistoryDrawer(_: { open: boolean; onClose(): void }) {
  return null
}
