/**
 * The newest moment by which things were removed for their age, kept in the database: a process that is started
 * tells by it that its clock is far ahead. Errors are those of `TaskStorage`.
 */
export interface JudgedMomentStorage {
  /** Milliseconds since the epoch; null if none was kept yet. */
  readJudgedMoment(): Promise<number | null>
  /** Keeps `at` (ms) in place of the moment before, which may be later; durable once resolved. */
  keepJudgedMoment(at: number): Promise<void>
}
