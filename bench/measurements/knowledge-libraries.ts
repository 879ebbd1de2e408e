import type { Row } from '../measurement.ts'
export const name = 'knowledge-libraries'
export const run = async (): Promise<Row[]> => []
