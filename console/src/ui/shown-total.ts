/** The total of a list as it is shown: the server counts up to a limit. */
export const shownTotal = ({ total, total_capped }: { total: number; total_capped: boolean }): string =>
  `${total.toLocaleString('en')}${total_capped ? '+' : ''}`
