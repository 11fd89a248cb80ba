/**
 * Which database this is and which artifacts belong to it, as one record in the database itself. A
 * storage knows where its database stands (a file, a database of a server): if that differs from what
 * was recorded, the database was copied, and the original may be in use.
 */

export interface DeploymentStorage {
  /**
   * The record, compared with where the database stands now. A copy may be taken for the original: each
   * adapter says which ones it does not recognise, and those have to be adopted by hand.
   */
  readDeployment(): Promise<Deployment>
  /**
   * Records where the database stands now, with what the request says, in place of the record of
   * `revision`; durable once resolved. What was recorded and can't be told now is kept, unless
   * `adoptedAt` is a new one. False, and nothing is changed, if another was recorded since.
   */
  recordDeployment(request: DeploymentRecord): Promise<boolean>
  /**
   * The secret of this database, which every process that shares it gets alike: what was proposed
   * first since it was last adopted, durable once resolved. A copy that was adopted so has another than
   * its original. 32 bytes as 64 lower-case hexadecimal digits; never logged, shown or exported.
   */
  agreeOnSecret(proposed: string): Promise<string>
}

/** `new`: nothing was recorded. `copied`: it was recorded elsewhere. */
export type DatabaseStanding = "new" | "original" | "copied"

export interface Deployment {
  readonly standing: DatabaseStanding
  /** Present where more can be told of the original than is recorded: to be recorded again. */
  readonly hasMoreToRecord?: true
  /** How often it was recorded. */
  readonly revision: number
  /** The mark of the place that holds its artifacts; null where none was recorded. */
  readonly artifactsMark: string | null
  /** When a copy, or another place of artifacts, was last adopted, ms; 0: never. */
  readonly adoptedAt: number
}

export interface DeploymentRecord {
  /** Of the record that is replaced; 0 where there is none. */
  readonly revision: number
  readonly artifactsMark: string | null
  readonly adoptedAt: number
}
