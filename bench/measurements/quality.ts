import type { Row } from '../measurement.ts'
export const name = 'quality'
export const run = async (): Promise<Row[]> => []
