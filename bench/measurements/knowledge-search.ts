import type { Row } from '../measurement.ts'
export const name = 'knowledge-search'
export const run = async (): Promise<Row[]> => []
