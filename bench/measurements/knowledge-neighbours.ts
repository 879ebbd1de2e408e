import type { Row } from '../measurement.ts'
export const name = 'knowledge-neighbours'
export const run = async (): Promise<Row[]> => []
