import { useEffect } from 'react'

/** The last page may be empty after deleting: then the one before it is shown. */
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
