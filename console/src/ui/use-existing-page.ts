import { useEffect } from 'react'

/** Moves to the previous page when the last page is empty after deleting. */
export function useExistingPage(
  total: number | undefined,
  page: number,
  pageSize: number,
  setPage: (page: number) => void,
): void {
  const last = Math.max(1, Math.ceil((total ?? 0) / pageSize))
  useEffect(() => {
    if (total !== undefined && page > last) setPage(last)
  }, [total, page, last, setPage])
}
